"""From a key and a label to cards: the only chance there is.

Python's `random` is neither stable between versions nor known to other languages, so every
random thing in a match is derived from HMAC-SHA256 (RFC 2104, FIPS 180-4) and can be computed
again by anyone who has the key.
"""

import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.games.base import CardT

WORD = 2**32
SEED = 2**53
"""Seeds and ids are below this: the whole numbers that every JSON reader keeps exact."""

_words_of = struct.Struct(">8I").unpack


class Stream:
    """An endless row of 32-bit words under one label; what one call leaves serves the next."""

    def __init__(self, key: bytes, label: str) -> None:
        self._key = key
        self._label = label
        self._block = 0
        self._words: list[int] = []

    def word(self) -> int:
        """Return the next word, 0 to 2^32 - 1."""
        words = self._words
        if not words:
            label = f"{self._label}/{self._block}".encode("ascii")
            words += _words_of(hmac.digest(self._key, label, "sha256"))
            # So that `pop` hands them out first to last.
            words.reverse()
            self._block += 1
        return words.pop()

    def below(self, bound: int) -> int:
        """Return a number from 0 to ``bound`` - 1, each as likely as any other.

        Raises:
            ValueError: ``bound`` is not in 1 to 2^32.
        """
        if not 1 <= bound <= WORD:
            raise ValueError(f"cannot choose below {bound}")
        # Words past the last whole multiple would favour small numbers: they are dropped.
        limit = WORD - WORD % bound
        while (word := self.word()) >= limit:
            pass
        return word % bound

    def seed(self) -> int:
        """Return a whole number below 2^53, made of the next two words."""
        return (self.word() * WORD + self.word()) % SEED

    def shuffled(self, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        """Return ``cards`` shuffled; the first of them is dealt first.

        Source:
            Durstenfeld, "Algorithm 235: Random permutation", CACM 7(7), 1964.
        """
        deck = list(cards)
        for last in range(len(deck) - 1, 0, -1):
            pick = self.below(last + 1)
            deck[last], deck[pick] = deck[pick], deck[last]
        return tuple(deck)


@dataclass(frozen=True, slots=True)
class Deal:
    """The name of one match's chance: a suite's key, and where in the suite it lies."""

    key: bytes = field(repr=False)
    """32 raw bytes. Whoever holds it knows every card."""

    game: str
    variant: str
    players: int
    number: int
    """From 0."""

    def stream(self, purpose: str) -> Stream:
        """Return a fresh stream of words for ``purpose``, from its first word."""
        label = f"{self.game}/{self.variant}/{self.players}/{self.number}/{purpose}"
        return Stream(self.key, label)

    def bot_seed(self, seat: int) -> int:
        """Return the seed that the bot in ``seat`` is told; it says nothing about the cards."""
        return self.stream(f"bot-{seat}").seed()


class DealtChance:
    """The chance of a deal, as `arena.games.base.Chance` has it."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal
        self._streams: dict[str, Stream] = {}

    def _stream(self, purpose: str) -> Stream:
        if purpose not in self._streams:
            self._streams[purpose] = self._deal.stream(purpose)
        return self._streams[purpose]

    def shuffle(self, purpose: str, cards: Sequence[CardT]) -> tuple[CardT, ...]:
        """Return ``cards`` shuffled by the stream of ``purpose``."""
        return self._stream(purpose).shuffled(cards)

    def below(self, purpose: str, bound: int) -> int:
        """Return a number below ``bound`` from the stream of ``purpose``."""
        return self._stream(purpose).below(bound)
