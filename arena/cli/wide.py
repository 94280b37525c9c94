"""Tables that grow to the right, for people: all categories, and all pairs of bots.

Their columns are numbered, since names are long.
"""

from collections.abc import Mapping, Sequence

from arena.cli.render import WIDTH, Format, Value, render
from arena.cli.tables import Cells, bot_name, percent, section
from arena.games import get_game
from arena.ratings.matrix import Matrix
from arena.ratings.overall import Overall


def overall_table(table: Overall, form: Format) -> str:
    """Return the table over all categories, which are numbered: their names are long."""
    rows: list[Cells] = [
        {
            "#": "-" if row.place is None else str(row.place),
            "bot": bot_name(row.bot),
            "overall": None if row.overall is None else f"{row.overall:.1f}",
            **{str(number): percent(score) for number, score in enumerate(row.p_scores, start=1)},
        }
        for row in table.rows
    ]
    names = ", ".join(
        f"{number} {category.name}" for number, category in enumerate(table.categories, start=1)
    )
    footer = [
        f"P-scores of {names}",
        "P-score: how probably a bot is better than another one of the category, in percent",
        "overall: the mean over games of the mean over each game's categories, without mixed teams",
    ]
    if table.apart:
        footer.append(never_met(table))
    if any(row.place is None for row in table.rows):
        footer.append("- not ranked: missing in a category")
    return section("overall", [render(rows, form, right=("#", *list(rows[0])[2:]))], footer, form)


def never_met(table: Overall) -> str:
    """Return which categories say nothing of all bots together."""
    names = ", ".join(category.name for category in table.apart)
    return f"overall does not count {names}: groups of bots never met there"


def matrix_table(matrix: Matrix, form: Format) -> str:
    """Return a pair matrix; its columns are numbered as its rows are."""
    cells = [[_pair(matrix, row, column) for column in matrix.bots] for row in matrix.bots]
    rows: list[Cells] = [
        {
            "#": str(number),
            "bot": bot_name(bot),
            **{str(at): cell for at, cell in enumerate(own, 1)},
        }
        for number, (bot, own) in enumerate(zip(matrix.bots, cells, strict=True), start=1)
    ]
    numbers = [str(at + 1) for at in range(len(matrix.bots))]
    parts = [
        render(
            [{head: row[head] for head in ("#", "bot", *block)} for row in rows],
            form,
            right=("#", *block),
        )
        for block in _blocks(rows, numbers, form)
    ]
    if matrix.competitive:
        what = "points of the row's bot against the column's in percent: 50 is even"
    else:
        unit = get_game(matrix.categories[0].game).unit
        what = f"mean {unit} of teams with both bots; on the diagonal, of the bot with itself"
    footer = [what, "columns are numbered as rows are, in the order of the leaderboard"]
    return section(matrix.name, parts or ["no match of it can be rated\n"], footer, form)


def _blocks(
    rows: Sequence[Mapping[str, Value]], numbers: Sequence[str], form: Format
) -> list[list[str]]:
    """Return the columns of each block: as many as fit `WIDTH`. Markdown scrolls instead."""
    if form is Format.GITHUB or not rows:
        return [list(numbers)] if rows else []

    def width(head: str) -> int:
        return 2 + max(len(head), *(len(str(row[head] or "")) for row in rows))

    edge = width("#") + width("bot") - 2
    blocks: list[list[str]] = [[]]
    taken = edge
    for number in numbers:
        if blocks[-1] and taken + width(number) > WIDTH:
            blocks.append([])
            taken = edge
        blocks[-1].append(number)
        taken += width(number)
    return blocks


def _pair(matrix: Matrix, row: str, column: str) -> str | None:
    cell = matrix.cells.get((row, column))
    if cell is None:
        return None
    return f"{100 * cell.value:.0f}" if matrix.competitive else f"{cell.value:.1f}"
