"""A fixture: one match that is to be played, named by what it is made of."""

from dataclasses import dataclass

from arena.referee.category import Category


@dataclass(frozen=True, slots=True)
class Fixture:
    """One match of a schedule: which deal, and who sits where."""

    category: Category
    deal: int
    """Number of the deal in the category's suite, from 0."""

    bots: tuple[str, ...]
    """Names of the bots by seat; one for each of the category's players."""

    @property
    def match(self) -> str:
        """The id of the match, as in ``donburiko-3p/17/greedy+first_legal+random_legal``.

        It is derived from content alone, so a schedule that is made again names the same matches;
        within a tournament it is unique.
        """
        return f"{self.category.name}/{self.deal}/{'+'.join(self.bots)}"
