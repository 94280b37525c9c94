"""From a secret to the key of a tournament, so that nobody can prepare and everybody can check.

Before the first match a tournament draws a secret and publishes its commitment, and its
parameters are fixed. The key follows from both, and from a public value that others may have fixed
after the entries closed. After the last match the secret is revealed, and anyone can compute
everything here again.

Let H be SHA-256 (FIPS 180-4) and ‖ the joining of bytes. Then

    commitment = H(secret)
    digest     = H(canonical JSON of the parameters)
    key        = H(secret ‖ digest ‖ UTF-8 of the public value)

The parameters are an object of plain JSON values, without fractions, in which no order of entry is
left:

- ``parameters``: 2, the version of this list;
- ``bots``: ``[name, digest, games]`` for each bot, by name; ``games`` are those of the tournament's
  games that it plays, by name;
- ``categories``: an object with ``game``, ``variant``, ``mode``, ``players`` and ``deals`` for each
  category, also for one with too few bots, by the first four;
- ``authors``: the author by name of the bot, of those that count as somebody's;
- ``matches_each``: the most matches of a bot in each category, or null;
- ``limits``: the limits by name, or null;
- ``tier``: its name;
- ``rules_versions``: version of the rules by game.

A comparison of two bots adds ``comparison``, see `arena.tournament.compare`; a single match adds
``single``, the names of its bots by seat. A tournament that keeps processes alive adds
``keep_alive``, the number of deals, 2 or more, see `arena.tournament.chunks`.
"""

import hashlib
import json
import secrets
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from arena.errors import UsageError
from arena.games import get_game
from arena.players.names import check_name
from arena.players.tier import Tier
from arena.referee.category import Category
from arena.referee.limits import Limits

SECRET_BYTES = 32
MOST_PUBLIC_BYTES = 1024
PARAMETERS_VERSION = 2
"""Raised whenever the same tournament would get other parameters, or they another schedule."""


def fresh_secret() -> bytes:
    """Return 32 bytes from the system's own randomness."""
    return secrets.token_bytes(SECRET_BYTES)


def commitment(secret: bytes) -> str:
    """Return what may be shown of ``secret`` before the last match: its SHA-256, as hex digits."""
    return hashlib.sha256(secret).hexdigest()


def parameters(
    digests: Mapping[str, str],
    bots: Mapping[str, Collection[str] | None],
    categories: Mapping[Category, int],
    limits: Limits | None,
    tier: Tier,
    *,
    authors: Mapping[str, str] | None = None,
    matches_each: int | None = None,
) -> dict[str, Any]:
    """Return all that decides which matches a tournament has and how they are refereed.

    Args:
        digests: digest of its snapshot (``sha256:`` and hex digits) by name of the bot.
        bots: the games that a bot plays, ``None`` for all, by name; the same names.
        categories: number of deals by category.
        limits: what a bot may use; ``None`` where limits are off.
        tier: how bots are kept apart.
        authors: whose bot it is, by name, of the bots that count as somebody's.
        matches_each: the most matches of a bot in each category; ``None``: as many as there are.

    Returns:
        The object that the top of this module describes.

    Raises:
        ValueError: ``digests`` and ``bots`` name different bots.
    """
    if digests.keys() != bots.keys():
        raise ValueError(f"digests of {sorted(digests)} for bots {sorted(bots)}")
    games = sorted({category.game for category in categories})
    return {
        "parameters": PARAMETERS_VERSION,
        "bots": [
            [name, digests[name], [game for game in games if plays is None or game in plays]]
            for name, plays in sorted(bots.items())
        ],
        "categories": [
            {
                "game": category.game,
                "variant": category.variant,
                "mode": category.mode.value,
                "players": category.players,
                "deals": categories[category],
            }
            for category in sorted(categories)
        ],
        "authors": dict(sorted((authors or {}).items())),
        "matches_each": matches_each,
        "limits": None if limits is None else msgspec.structs.asdict(limits),
        "tier": tier.value,
        "rules_versions": {game: get_game(game).rules_version for game in games},
    }


def canonical_json(value: object) -> bytes:
    """Return the one spelling of ``value`` that digests are taken of.

    UTF-8 without white space; the keys of objects ascending, and ASCII; in strings only what must
    be escaped, in the shortest way; whole numbers only. For such values it is the form of
    RFC 8785 (JSON Canonicalization Scheme).

    Raises:
        TypeError: there is a fraction in ``value``, a key that is not ASCII text, or something
            that JSON does not have.
        ValueError: a string has a lone surrogate.
    """
    _check_canonical(value)
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def _check_canonical(value: object) -> None:
    match value:
        case None | bool() | int() | str():
            pass
        case list() | tuple():
            for item in value:
                _check_canonical(item)
        case dict():
            for key, item in value.items():
                if not (isinstance(key, str) and key.isascii()):
                    raise TypeError(f"{key!r} cannot be a key")
                _check_canonical(item)
        case _:
            raise TypeError(f"{value!r} has no canonical spelling")


def parameters_digest(parameters: Mapping[str, Any]) -> bytes:
    """Return the SHA-256 of the canonical JSON of ``parameters``, as 32 raw bytes."""
    return hashlib.sha256(canonical_json(dict(parameters))).digest()


def check_public_value(text: str) -> str:
    """Return ``text`` itself if it can be a tournament's public value.

    Any Unicode text can, as it stands: it is neither trimmed nor normalised. Empty means none.

    Raises:
        UsageError: it is over 1024 bytes of UTF-8, or has bytes in it that are not text.
    """
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise UsageError("the public value is not text: it has bytes that are not UTF-8") from None
    if size > MOST_PUBLIC_BYTES:
        raise UsageError(
            f"the public value has {size:,} bytes, and {MOST_PUBLIC_BYTES} is the most"
        )
    return text


def tournament_key(secret: bytes, digest: bytes, public_value: str = "") -> bytes:
    """Return the key from which the deals of a tournament come, 32 bytes.

    Args:
        secret: 32 bytes.
        digest: `parameters_digest`, 32 bytes.
        public_value: text that nobody could know before the entries closed; empty for none.

    Raises:
        ValueError: ``secret`` or ``digest`` has another length, which would let bytes wander from
            one part to the next.
        UsageError: ``public_value`` cannot be one.
    """
    if len(secret) != SECRET_BYTES or len(digest) != hashlib.sha256().digest_size:
        raise ValueError(f"secret of {len(secret)} and digest of {len(digest)} bytes, not 32 each")
    return hashlib.sha256(secret + digest + check_public_value(public_value).encode()).digest()


def tournament_id(name: str, digest: bytes, commitment: str) -> str:
    """Return the id of a tournament, as in ``spring-1f0c93ab``.

    It is the name, and the first 8 hex digits of the SHA-256 of ``name/digest/commitment``, the
    last two in hex: a tournament with the same bots, parameters and key has the same id wherever
    and whenever it is played.

    Args:
        name: 1 to 32 of A-Z a-z 0-9 . _ -, beginning with a letter or a digit.
        digest: `parameters_digest`.
        commitment: `commitment` of the secret; for a published key, of the key.

    Raises:
        UsageError: a tournament cannot be called so.
    """
    content = f"{check_name(name, 'a tournament')}/{digest.hex()}/{commitment}"
    return f"{name}-{hashlib.sha256(content.encode('ascii')).hexdigest()[:8]}"


def unrated_reasons(
    *,
    published_key: bool,
    tier: Tier,
    limits: Limits | None,
    paths: Collection[str] = (),
    people: Collection[str] = (),
) -> tuple[str, ...]:
    """Return why the matches of a tournament cannot be rated; rated means that nothing is said.

    Args:
        published_key: the key, or the secret behind it, could be known before the last match.
        tier: how bots are kept apart.
        limits: what a bot may use; ``None`` where limits are off.
        paths: names of the bots that are played from where they lie, without a snapshot.
        people: names of the seats that a person plays.

    Returns:
        A few words for each reason, in a fixed order.
    """
    reasons = []
    if published_key:
        reasons.append("the key is published")
    if tier is Tier.NONE:
        reasons.append("bots are not isolated")
    if limits is None:
        reasons.append("limits are off")
    if paths:
        reasons.append(f"played from a path: {', '.join(sorted(paths))}")
    if people:
        reasons.append(f"played by a person: {', '.join(sorted(people))}")
    return tuple(reasons)
