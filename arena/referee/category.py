"""A category: the matches that are rated together."""

from dataclasses import dataclass
from enum import StrEnum

from arena.errors import UsageError
from arena.games import get_game
from arena.games.base import Kind


class Mode(StrEnum):
    """How the seats of a match are filled."""

    TABLE = "table"
    """Different bots against each other."""

    SELF = "self"
    """One bot in all seats of a co-operative game."""

    MIXED = "mixed"
    """A co-operative team of different bots."""


@dataclass(frozen=True, slots=True, order=True)
class Category:
    """What is rated apart: a game, its variant, how seats are filled, and how many there are."""

    game: str
    variant: str
    mode: Mode
    players: int

    @property
    def name(self) -> str:
        """The name users see, as in ``donburiko-3p`` or ``couperation-finish-self-2p``.

        The game's default variant and the mode ``table`` go without saying.
        """
        variant = "" if self.variant == get_game(self.game).variants[0] else f"-{self.variant}"
        mode = "" if self.mode is Mode.TABLE else f"-{self.mode.value}"
        return f"{self.game}{variant}{mode}-{self.players}p"

    def check(self) -> "Category":
        """Return the category itself, or raise `UsageError` if its game has no such thing."""
        game = get_game(self.game)
        if self.variant not in game.variants:
            raise UsageError(
                f"{self.game} has no variant {self.variant!r}: {', '.join(game.variants)}"
            )
        if self.players not in game.player_counts:
            counts = ", ".join(map(str, game.player_counts))
            raise UsageError(f"{self.game} has no game for {self.players}: {counts} players")
        if (self.mode is Mode.TABLE) != (game.kind is Kind.COMPETITIVE):
            raise UsageError(
                f"{self.game} is {game.kind.value}: mode {self.mode.value} is not for it"
            )
        return self
