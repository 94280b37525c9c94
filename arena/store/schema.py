"""The tables, as a list of migrations.

The file is meant to be opened by others too (sqlite3, Datasette): names are those of the protocol,
times are UTC in ISO 8601, and what is a list or a table is JSON.
"""

APPLICATION_ID = 0x61726E61  # "arna"; tells our files from other programs' SQLite files

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE contents (                 -- of files; equal ones are kept once
            sha256  TEXT PRIMARY KEY,           -- hex
            bytes   BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE snapshots (                -- what a bot is made of; never changed or removed
            digest  TEXT PRIMARY KEY,           -- "sha256:…" over its files, covers the command too
            command TEXT NOT NULL,              -- JSON array, for people: bot.toml decides
            added   TEXT NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE snapshot_files (
            digest  TEXT NOT NULL REFERENCES snapshots,
            path    TEXT NOT NULL,              -- relative, NFC
            mode    INTEGER NOT NULL CHECK (mode IN (420, 493)),  -- 0o644, 0o755
            sha256  TEXT NOT NULL REFERENCES contents,
            PRIMARY KEY (digest, path)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE bots (
            name    TEXT PRIMARY KEY,
            folded  TEXT NOT NULL UNIQUE,       -- two names may not differ only in case
            removed TEXT                        -- the name stays taken: matches refer to it
        ) STRICT
        """,
        """
        CREATE TABLE bot_versions (             -- the highest version of a bot is the current one
            name      TEXT NOT NULL REFERENCES bots,
            version   INTEGER NOT NULL CHECK (version >= 1),
            digest    TEXT NOT NULL REFERENCES snapshots,
            games     TEXT,                     -- JSON array of the games it plays; NULL: all
            submitted TEXT NOT NULL,
            PRIMARY KEY (name, version)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE tournaments (
            id           TEXT PRIMARY KEY,
            name         TEXT NOT NULL,
            created      TEXT NOT NULL,
            parameters   TEXT NOT NULL,         -- JSON object: all that the schedule was made of
            suite        TEXT NOT NULL,
            key          BLOB NOT NULL CHECK (length(key) = 32),  -- of its deals
            commitment   TEXT,                  -- hex SHA-256 of the secret
            secret       BLOB,                  -- NULL where the key was published beforehand
            public_value TEXT,
            unrated      TEXT NOT NULL,         -- JSON array of the reasons why it is not rated
            rated        INTEGER GENERATED ALWAYS AS (unrated = '[]') VIRTUAL,
            finished     TEXT,                  -- after the last match; the secret is public then
            CHECK ((secret IS NULL) = (commitment IS NULL))
        ) STRICT
        """,
        """
        CREATE TABLE entries (                  -- which snapshot played under which name
            tournament TEXT NOT NULL REFERENCES tournaments,
            position   INTEGER NOT NULL,        -- from 0
            bot        TEXT NOT NULL,           -- registered or not
            digest     TEXT NOT NULL REFERENCES snapshots,
            PRIMARY KEY (tournament, bot)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE fixtures (                 -- stored whole before the first match is played
            tournament TEXT NOT NULL REFERENCES tournaments,
            position   INTEGER NOT NULL,        -- from 0, the order of the schedule
            match      TEXT NOT NULL,           -- id, derived from category, deal and bots
            category   TEXT NOT NULL,           -- name; made of the next four
            game       TEXT NOT NULL,
            variant    TEXT NOT NULL,
            mode       TEXT NOT NULL,
            players    INTEGER NOT NULL,
            deal       INTEGER NOT NULL,        -- from 0
            bots       TEXT NOT NULL,           -- JSON array of names, by seat
            PRIMARY KEY (tournament, match),    -- makes a resumed run idempotent
            UNIQUE (tournament, position)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE matches (                  -- fixtures that were played; rows never change
            tournament TEXT NOT NULL,
            match      TEXT NOT NULL,
            category   TEXT NOT NULL,
            deal       INTEGER NOT NULL,
            faults     INTEGER NOT NULL,        -- closed seats
            attempt    INTEGER NOT NULL,        -- from 1; earlier ones were void
            ms         REAL NOT NULL,           -- wall time of the match
            finished   TEXT NOT NULL,           -- when it was stored
            record     TEXT NOT NULL,           -- the whole match record, JSON
            PRIMARY KEY (tournament, match),
            FOREIGN KEY (tournament, match) REFERENCES fixtures
        ) STRICT
        """,
        "CREATE INDEX matches_by_id ON matches (match)",
        """
        CREATE TABLE voids (                    -- attempts that the host spoilt; they rate nobody
            tournament TEXT NOT NULL,
            match      TEXT NOT NULL,
            attempt    INTEGER NOT NULL,        -- from 1
            at         TEXT NOT NULL,
            reason     TEXT NOT NULL,
            PRIMARY KEY (tournament, match, attempt),
            FOREIGN KEY (tournament, match) REFERENCES fixtures
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE ratings (                  -- a cache: it can be emptied at any time
            pool     TEXT NOT NULL,             -- JSON array of tournament ids, sorted
            category TEXT NOT NULL,
            units    TEXT NOT NULL,             -- digest of the rated units it stands for
            payload  TEXT NOT NULL,             -- JSON
            PRIMARY KEY (pool, category)
        ) STRICT
        """,
    ),
    (
        # As the bot's bot.toml says them; NULL where it does not.
        "ALTER TABLE bot_versions ADD COLUMN author TEXT",
        "ALTER TABLE bot_versions ADD COLUMN languages TEXT",  # JSON array
    ),
    (
        # Head of the chain of digests over the records, hex; NULL until the last one is there.
        "ALTER TABLE tournaments ADD COLUMN head TEXT",
    ),
    (
        """
        CREATE TABLE drops (                    -- deals that the host spoilt again and again
            tournament TEXT NOT NULL REFERENCES tournaments,
            number     INTEGER NOT NULL,        -- from 0, in the order in which they were made
            category   TEXT NOT NULL,
            deal       INTEGER NOT NULL,
            bots       TEXT,                    -- JSON array: the table; NULL: all that play it
            instead    INTEGER NOT NULL,        -- the deal that the same seatings play
            at         TEXT NOT NULL,
            reason     TEXT NOT NULL,
            PRIMARY KEY (tournament, number)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE retired (                  -- bots that kept failing; follows from the records
            tournament      TEXT NOT NULL REFERENCES tournaments,
            category        TEXT NOT NULL,
            bot             TEXT NOT NULL,
            match           TEXT NOT NULL,      -- after which it was
            matches         INTEGER NOT NULL,   -- of its own in the category, by then
            faults          INTEGER NOT NULL,   -- in how many of them
            could_not_start INTEGER NOT NULL,   -- 1: for failed starts in a row
            PRIMARY KEY (tournament, category, bot)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE excused (                  -- matches that need not be played, and do not count
            tournament TEXT NOT NULL,
            match      TEXT NOT NULL,
            why        TEXT NOT NULL,           -- "dropped", "retired"
            PRIMARY KEY (tournament, match),
            FOREIGN KEY (tournament, match) REFERENCES fixtures
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE VIEW open_fixtures AS            -- what has no record, and needs one
            SELECT f.* FROM fixtures f
            WHERE NOT EXISTS (SELECT 1 FROM matches m
                              WHERE m.tournament = f.tournament AND m.match = f.match)
              AND NOT EXISTS (SELECT 1 FROM excused e
                              WHERE e.tournament = f.tournament AND e.match = f.match)
        """,
    ),
)
"""Append only: entry n brings a file from version n to version n + 1, statement by statement."""
