import io
import json
import os
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from arena.cli.play import _seat
from arena.games import get_game
from arena.players.person import SNAPSHOT
from arena.referee.record import MatchRecord, decode_record
from arena.store.bots import add_bot
from arena.store.db import FILE_NAME, open_store
from arena.wire.escape import printable
from tests import tuck_game
from tests.command_line import NO_TIER, Answer, CommandLine
from tests.kept import snapshot
from tests.terminals import terminal
from tests.whole_arena import FAULTY, FIRST, ROOT, Arena, bot, holds, killed_at_last

FIRSTS = b"1\n" * 300


class Typist:
    """Types into ``arena play``, in this process."""

    def __init__(self, arena: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        self.arena = arena
        self._monkeypatch = monkeypatch

    def __call__(self, typed: bytes, *words: str | Path) -> Answer:
        """Return what a match came to in which ``typed`` was typed."""
        stdin = io.TextIOWrapper(io.BytesIO(typed))
        self._monkeypatch.setattr(sys, "stdin", stdin)
        return self.arena("play", *words, *NO_TIER)

    def record(self, typed: bytes, *words: str | Path) -> MatchRecord:
        """Return the record of such a match."""
        answer = self(typed, *words, "--format", "json")
        assert answer.status == 0, answer.err
        return decode_record(answer.out.encode())


@pytest.fixture
def types(arena: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Typist:
    """A person at the terminal."""
    return Typist(arena, monkeypatch)


def against(arena: CommandLine, *names: str) -> tuple[str, str]:
    """Return the option for bots that start fast."""
    return ("--vs", arena.bots(*names))


# The match


@pytest.mark.parametrize(("game", "players"), [("donburiko", 2), ("couperation", 3)])
def test_a_match_can_be_played_to_its_end_by_numbers(
    game: str, players: int, types: Typist
) -> None:
    answer = types(FIRSTS, game, *against(types.arena, *["last"] * (players - 1)), "--seat", "0")

    heads, _, *rows = answer.out.splitlines()[-players - 2 :]
    assert answer.status == 0
    assert heads.split()[:2] == ["seat", "bot"]
    assert [row.split()[1] for row in rows] == ["you"] + ["last"] * (players - 1)
    assert "fault" not in "".join(rows)


def test_the_match_is_kept_and_can_be_listed_replayed_and_verified(types: Typist) -> None:
    arena = types.arena
    answer = types(FIRSTS, "donburiko", *against(arena, "last", "first"), "--seat", "1")

    (kept,) = re.findall(r"^kept: arena (.*)$", answer.err, re.MULTILINE)
    record = json.loads(arena(*kept.split(), "-f", "json").out)
    assert [seat["bot"] for seat in record["seats"]] == ["last", "you", "first"]
    assert record["seats"][1]["digest"] == SNAPSHOT.digest
    assert [one["match"] for one in json.loads(arena("matches", "-f", "json").out)] == [
        record["match"]
    ]
    assert "1 match verified" in arena("verify").out
    assert "2 seats played again, 0 differ" in arena("verify", "--replay-bots").err
    (tournament,) = json.loads(arena("tournaments", "-f", "json").out)
    assert (tournament["state"], tournament["rated"]) == ("finished", False)
    assert "played by a person: you" in tournament["unrated"]


def test_it_goes_into_an_export_and_back(types: Typist) -> None:
    arena = types.arena
    tournament = types.record(b"q\n", "donburiko", *against(arena, "last")).tournament

    assert arena("export", tournament, arena.folder / "out", "--bots").status == 0
    said = arena("import", arena.folder / "out", "--home", arena.folder / "other")

    assert "1 match verified and kept" in said.err


def test_that_a_person_played_cannot_be_left_out_of_the_reasons(types: Typist) -> None:
    arena = types.arena
    tournament = types.record(b"q\n", "donburiko", *against(arena, "last")).tournament
    arena("export", tournament, arena.folder / "out")
    facts = arena.folder / "out" / "tournament.json"
    told = json.loads(facts.read_text())
    told["unrated"].remove("played by a person: you")
    facts.write_text(json.dumps(told))

    assert "played by a person: you follows" in arena("verify", "--records", facts.parent).err


def test_options_are_those_of_a_match(types: Typist) -> None:
    words = ("--suite", "development", "--deal", "7", "--variant", "finish", "--move-ms", "900")

    record = types.record(b"q\n", "couperation", *against(types.arena, "last"), *words)

    assert (record.suite, record.deal, record.variant) == ("development", 7, "finish")
    assert record.limits is not None
    assert record.limits.move_ms == 900


def test_the_seat_is_drawn_where_none_is_asked_for() -> None:
    seats = {_seat(get_game("donburiko"), ["a", "b"], None) for _ in range(200)}

    assert seats == {0, 1, 2}


def test_a_match_among_which_a_bot_is_at_fault_goes_on(types: Typist) -> None:
    faulty = bot(FAULTY, types.arena.folder / "faulty")
    vs = ("--vs", f"{faulty},{types.arena.bot('last')}")

    answer = types(FIRSTS, "donburiko", *vs, "--seat", "0")

    assert "+ seat 1 (faulty) is out of the match" in answer.out
    assert "all that faulty logged: arena logs faulty --faults -t match-1" in answer.err
    assert (answer.status, "seat 1: " in types.arena("matches").out) == (0, True)


# What is shown


def test_the_seat_is_shown_what_it_was_sent_and_no_card_besides(types: Typist) -> None:
    arena = types.arena
    words = ("--suite", "development", "--seat", "0")

    answer = types(FIRSTS, "donburiko", *against(arena, "last"), *words)

    (kept,) = re.findall(r"^kept: arena (.*)$", answer.err, re.MULTILINE)
    seen = arena(*kept.split(), "--seat", "0").out
    tables = re.compile(r"^round .*\n(?:  column.*\n)+(?:[> ] seat.*\n)+", re.MULTILINE)
    assert tables.findall(answer.out) == tables.findall(seen)
    hands = re.findall(r"seat 1 +\d+ tokens +(.*)$", answer.out, re.MULTILINE)
    assert all(re.fullmatch(r"(\d|no) cards?(, out of the round)?", hand) for hand in hands)


def test_what_happened_since_is_told_in_words(types: Typist) -> None:
    words = ("--suite", "development", "--seat", "0")

    lines = types(FIRSTS, "donburiko", *against(types.arena, "last"), *words).out.splitlines()

    assert lines[0] == "donburiko: you are seat 0, with seat 1 (last)"
    assert lines[1].startswith("> to act; ")
    assert "+ round 1 began: you first" in lines
    assert "+ you played 2 face up on column 0" in lines
    assert "+ seat 1 (last) played a card face down on column 1" in lines


def test_a_program_gets_the_record_alone(types: Typist) -> None:
    answer = types(b"q\n", "donburiko", *against(types.arena, "last"), "--format", "json")

    (line,) = answer.out.splitlines()
    assert decode_record(line.encode()).faults[0].text == "resigned"
    assert "your turn" in answer.err


# What is typed


def said_to(types: Typist, typed: str) -> list[str]:
    """Return what is answered to ``typed`` at the first turn of a known deal."""
    words = ("--suite", "development", "--seat", "0")
    typing = f"{typed}\nq\n".encode("utf-8", "surrogateescape")
    out = types(typing, "donburiko", *against(types.arena, "last"), *words).out
    (_, said, _) = re.split(r"^your turn.*\n", out, flags=re.MULTILINE)
    return said.splitlines()


@pytest.mark.parametrize(
    "typed", ["0", "13", "-1", "1.5", "fold", "play 9", "\x1b[2J\u202e", "\udcff\udcfe", "x" * 900]
)
def test_what_means_nothing_is_answered_in_a_line_that_says_what_to_type(
    typed: str, types: Typist
) -> None:
    (line,) = said_to(types, typed)

    assert "type a number from 1 to 12 or the beginning of an action, as in 'play 2" in line
    assert line.startswith("no action is '")
    assert printable(line) == line
    assert len(line) < 200


def test_the_beginning_of_several_actions_lists_them(types: Typist) -> None:
    lines = said_to(types, "play 3")

    assert [line.split("   ") for line in lines] == [
        ["5  play 3 face up on column 0", "  7  play 3 face up on column 1"],
        ["6  play 3 face down on column 0", "8  play 3 face down on column 1"],
    ]


def test_a_question_mark_helps_and_an_empty_line_shows_the_table_again(types: Typist) -> None:
    assert "Enter shows the table again, ? this, q resigns" in said_to(types, "?")[-1]
    assert said_to(types, "")[1].startswith("round 1, bank 42")


def test_an_action_is_taken_by_the_beginning_of_its_text(types: Typist) -> None:
    words = ("--suite", "development", "--seat", "0")

    record = types.record(
        b"PLAY 3 face  d\nplay 3 face down on column 1\nq\n",
        "donburiko",
        *against(types.arena, "first"),
        *words,
    )

    own = [json.loads(bytes(one.action)) for one in record.actions if one.seat == 0]
    assert own == [{"type": "play", "card": "3", "column": 1, "up": False}]


# Leaving


@pytest.mark.parametrize("typed", [b"", b"q\n", b"1\nquit\n", b"1"])
def test_who_leaves_resigns_and_the_match_is_kept(typed: bytes, types: Typist) -> None:
    answer = types(typed, "donburiko", *against(types.arena, "last"), "--seat", "0")

    assert answer.status == 0
    assert "you resign: the match ends, you rank last, and it is kept" in answer.out
    assert "exited: resigned" in answer.out
    assert "all that you logged" not in answer.err
    assert "1 match verified" in types.arena("verify").out


@pytest.mark.parametrize("line", [b"0\n", b"\n", b"?\n"])
def test_a_pipe_without_any_action_ends_the_match_which_is_not_kept(
    line: bytes, types: Typist
) -> None:
    answer = types(line * 300, "donburiko", *against(types.arena, "first"), "--seat", "0")

    last = answer.err.splitlines()[-1]
    assert answer.status == 2
    assert last.startswith("arena: standard input gave 20 answers in a row that are no action")
    assert types.arena("matches", "--format", "json").out == "[]\n"


def test_what_becomes_of_the_match_depends_on_the_game(types: Typist) -> None:
    team = types(b"", "couperation", *against(types.arena, "last"))
    three = types(b"", "donburiko", *against(types.arena, "last", "first"))

    assert "you resign: the match ends, counts 0 for you, and is kept" in team.out
    assert "fault after" in team.err
    assert "and the house plays your seat on; the match is kept" in three.out
    assert "finished after" in three.err


def test_without_standard_input_one_has_left(
    types: Typist, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    answer = types.arena("play", "donburiko", *against(types.arena, "last"), *NO_TIER)

    assert (answer.status, "exited: resigned" in answer.out) == (0, True)


@contextmanager
def playing(arena: Arena, other: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yield ``arena play`` in a process of its own, whose input is open."""
    read, write = os.pipe()
    script = f"import os; os.dup2({read}, 0); from arena.cli.app import main; main()"
    words = ("play", "donburiko", "--vs", str(other), "--seat", "0", *NO_TIER)
    arena.scratch.mkdir(exist_ok=True)
    running = subprocess.Popen(
        [sys.executable, "-c", f"{script}  # {arena.home}", *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), "ARENA_HOME": str(arena.home)},
        pass_fds=[read],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        with killed_at_last(running):
            yield running
    finally:
        os.close(read)
        os.close(write)


def until(running: "subprocess.Popen[str]", text: str) -> str:
    """Return what ``running`` has written, up to ``text``, which it has to come to."""
    assert running.stdout is not None
    shown = b""
    while text.encode() not in shown:
        assert select.select([running.stdout], [], [], 20.0)[0], shown
        more = os.read(running.stdout.fileno(), 65536)
        assert more, (shown, running.stderr and running.stderr.read())
        shown += more
    return shown.decode()


@pytest.mark.slow
def test_ctrl_c_resigns_and_leaves_no_bot_behind(tmp_path: Path) -> None:
    arena = Arena(tmp_path / "home")
    with playing(arena, bot(FIRST, tmp_path / "first")) as running:
        until(running, "your turn")
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=30)

    assert (running.returncode, "Traceback" in out + err) == (0, False)
    assert "exited: resigned" in out
    assert arena.all_gone()
    (played,) = arena.played().values()
    assert played["reason"] == "walkover"


@pytest.mark.slow
def test_ctrl_c_at_a_turn_of_a_bot_resigns_after_it_and_twice_ends_all_at_once(
    tmp_path: Path,
) -> None:
    arena = Arena(tmp_path / "home")
    mark = tmp_path / "asked"
    slow = bot(
        f"""
        import time
        def choose(number, legal):
            note({str(mark)!r}, "asked")
            time.sleep(60)
        play(choose)
        """,
        tmp_path / "slow",
    )
    words = ("play", "donburiko", "--vs", str(slow), "--seat", "1", "--move-ms", "60000", *NO_TIER)
    running = arena.start(*words)
    with killed_at_last(running):
        until(running, "with seat 0 (slow)")
        assert holds(mark.exists)
        running.send_signal(signal.SIGINT)
        assert running.stderr is not None
        assert running.stderr.readline() == "\n"
        assert running.stderr.readline().startswith("you resign at your next turn")
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)

    assert (running.returncode, err) == (130, "arena: interrupted\n")
    assert arena.all_gone()


@pytest.mark.slow
def test_when_the_terminal_goes_away_no_bot_is_left_behind(tmp_path: Path) -> None:
    arena = Arena(tmp_path / "home")
    with playing(arena, bot(FIRST, tmp_path / "first")) as running:
        until(running, "your turn")
        running.send_signal(signal.SIGHUP)
        _, err = running.communicate(timeout=30)

    assert (running.returncode, err) == (128 + signal.SIGHUP, "")
    assert arena.all_gone()


@pytest.mark.slow
@pytest.mark.parametrize("key", ["\x04", "\x03"], ids=["Ctrl-D", "Ctrl-C"])
def test_on_a_terminal_what_is_typed_is_not_shown_twice_and_a_key_resigns(
    key: str, tmp_path: Path
) -> None:
    first = bot(FIRST, tmp_path / "first")
    words = ["play", "donburiko", "--vs", str(first), "--seat", "0", *NO_TIER]

    with terminal(words, tmp_path / "home") as shown:
        shown.until("q resign): ", whole=False)
        shown.type("claim\r")
        shown.until("as in 'play", whole=False)
        shown.type(key)
        rest = shown.left(0)

    assert rest.count("claim\r\n") == 1
    assert "you resign" in rest


# Mistakes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["donburiko"], "missing option '--vs'"),
        (["donburiko", "--vs", ","], "--vs is empty"),
        (["donburiko", "--vs", "greedy,greedy,greedy,greedy"], "takes 1, 2 or 3 bots beside you"),
        (["donburiko", "--vs", "greedy", "--seat", "2"], "--seat 2: with 2 players there are 0 to"),
        (["donburiko", "--vs", "gredy"], "no bot is called 'gredy'; did you mean 'greedy'?"),
        (["donburik", "--vs", "greedy"], "no game is called 'donburik'; did you mean"),
    ],
)
def test_a_mistake_is_told_in_a_line(words: list[str], said: str, arena: CommandLine) -> None:
    assert said in arena.refuses("play", *words, *NO_TIER)


def test_a_bot_cannot_be_called_as_the_person_is(arena: CommandLine) -> None:
    script = arena.script(name="You.py")

    line = arena.refuses("play", "donburiko", "--vs", script, *NO_TIER)

    assert "a bot cannot be called 'You': that is what a person is called in a match" in line


@pytest.fixture(scope="module")
def older_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home that has two versions of a bot with the name of a person, as none can have now."""
    home = tmp_path_factory.mktemp("older")
    with open_store(home) as store:
        for number in "12":
            add_bot(store, "former", snapshot(number))
    with closing(sqlite3.connect(home / FILE_NAME)) as db, db:
        db.execute("UPDATE bots SET name = 'You', folded = 'you'")
        db.execute("UPDATE bot_versions SET name = 'You'")
    return home


@pytest.mark.parametrize("name", ["You", "You@1", "You@2"])
def test_one_that_was_registered_under_that_name_before_is_refused_a_seat(
    name: str, older_home: Path, arena: CommandLine
) -> None:
    shutil.copytree(older_home, arena.home)

    line = arena.refuses("play", "donburiko", "--vs", f"first_legal,{name}", *NO_TIER)

    assert "is what you are called in the match: submit that bot under another --name" in line
    assert [row["bot"] for row in json.loads(arena("bots", "-f", "json").out)] == ["You"]
    assert arena("bots", "remove", "You").status == 0


# A third party's game


@pytest.mark.slow
def test_a_game_without_words_is_played_by_its_json_and_cannot_act_on_a_terminal(
    tmp_path: Path,
) -> None:
    site = tuck_game.install(tmp_path / "site")
    rules = site / "tuck_game.py"
    hostile = 'draw=str, say_action=lambda action: f"\\x1b[2J{action.card} {action.up}"'
    for text in (rules.read_text(), rules.read_text().replace("draw=str", hostile)):
        rules.write_text(text)
        arena = Arena(tmp_path / "home", site)
        words = ("play", "tuck", "--vs", "first_legal", "--seat", "0", *NO_TIER)
        out, _ = arena.run(*words)
        assert printable(out, lines=True) == out
        assert "exited: resigned" in out
