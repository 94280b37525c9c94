"""The chance of protocol/SPEC.md a second time, from its text alone: nothing of arena is used.

Tests compare it with `arena.games`, so a misreading would have to be made twice.
"""

import hashlib
import hmac
import struct
from collections.abc import Iterator
from itertools import chain, islice, repeat
from typing import Any

FACES = [*"12233445", "1/5", "1/5", "-1", "-1", "-2", "-2", "loach", "loach"]
GLASS = [*range(2, 25), *range(26, 50)]
HANDS = {"donburiko": {2: 4, 3: 4, 4: 3}, "couperation": {2: 3, 3: 3, 4: 3}}
RESERVE = {2: 4, 3: 3, 4: 2}


def words(key: bytes, label: str) -> Iterator[int]:
    """Yield the 32-bit words of a stream."""
    block = 0
    while True:
        digest = hmac.new(key, b"%b/%d" % (label.encode(), block), hashlib.sha256).digest()
        yield from struct.unpack(">8I", digest)
        block += 1


def below(stream: Iterator[int], bound: int) -> int:
    """Take a number below ``bound`` from ``stream``."""
    word = next(stream)
    while word >= 2**32 - 2**32 % bound:
        word = next(stream)
    return word % bound


def shuffled(stream: Iterator[int], cards: list[Any]) -> list[Any]:
    """Return ``cards`` shuffled by ``stream``."""
    deck = cards.copy()
    for i in reversed(range(1, len(deck))):
        j = below(stream, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def wide(stream: Iterator[int]) -> int:
    """Take a seed or an id from ``stream``."""
    high, low = next(stream), next(stream)
    return ((high << 32) + low) & (2**53 - 1)


def dealt(players: int, size: int, cards: list[Any]) -> tuple[list[list[Any]], list[Any]]:
    """Return hands of ``size``, dealt one card at a time, and what is left."""
    hands: list[list[Any]] = [[] for _ in range(players)]
    seats = chain.from_iterable(repeat(range(players), size))
    for seat, card in zip(seats, cards, strict=False):
        hands[seat].append(card)
    return hands, cards[players * size :]


def donburiko_round(key: bytes, prefix: str, players: int, number: int) -> dict[str, Any]:
    """Return the shuffled cards of round ``number`` and where they go."""
    deck = [face for face in FACES if players > 2 or face != "1/5"]
    cards = shuffled(words(key, f"{prefix}/round-{number}"), deck)
    hands, rest = dealt(players, HANDS["donburiko"][players], cards[players:])
    return {"cards": cards, "columns": cards[:players], "hands": hands, "set_aside": rest}


def couperation(key: bytes, prefix: str, players: int, variant: str) -> dict[str, Any]:
    """Return the shuffled cards, the Finish card in its place, and where they go."""
    cards: list[Any] = shuffled(words(key, f"{prefix}/deck"), GLASS)
    hands, rest = dealt(players, HANDS["couperation"][players], cards)
    reserve, deck = rest[: RESERVE[players]], rest[RESERVE[players] :]
    if variant == "finish":
        half, odd = divmod(len(deck), 2)
        at = half + odd + below(words(key, f"{prefix}/finish"), half + 1)
        deck.insert(at, "finish")
    used = len(cards) - len(rest) + len(reserve)
    return {"cards": cards[:used] + deck, "hands": hands, "reserve": reserve, "deck": deck}


def deal(key: bytes, game: str, variant: str, players: int, number: int) -> dict[str, Any]:
    """Return all that follows from the name of a deal, as a line of deals.jsonl has it."""
    prefix = f"{game}/{variant}/{players}/{number}"
    house = words(key, f"{prefix}/house")
    counts = [12, 1, 7, 40, 3, 1, 2, 1000]
    if game == "donburiko":
        rounds = [donburiko_round(key, prefix, players, number) for number in (1, 2)]
        chance = {"cards": {"rounds": [dealing.pop("cards") for dealing in rounds]}}
        chance["dealt"] = rounds[0]
    else:
        dealing = couperation(key, prefix, players, variant)
        chance = {"cards": {"deck": dealing.pop("cards")}, "dealt": dealing}
    return {
        "key": key.hex(),
        "game": game,
        "variant": variant,
        "players": players,
        "deal": number,
        **chance,
        "seeds": [wide(words(key, f"{prefix}/bot-{seat}")) for seat in range(players)],
        "ids": [first_ids(key, prefix, seat) for seat in range(players)],
        "house": [{"count": count, "choice": below(house, count)} for count in counts],
    }


def first_ids(key: bytes, prefix: str, seat: int) -> list[int]:
    """Return the ids of the first three questions to ``seat``."""
    stream = words(key, f"{prefix}/ids-{seat}")
    return [wide(stream) for _ in range(3)]


def first_words(key: bytes, label: str, count: int) -> list[int]:
    """Return the first ``count`` words of a stream."""
    return list(islice(words(key, label), count))
