"""The tables of README.md: where each part of an observation stands, and what actions number.

``python -m arena.rl.tables PAGE`` puts them into a page, between the marks that it has for them.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from arena.rl import couperation, donburiko
from arena.rl.encoding import AnyEncoding

ENCODINGS: Mapping[str, Callable[[int], AnyEncoding]] = {
    "donburiko": donburiko.encoding,
    "couperation": couperation.encoding,
}
"""By name of the game: number of players -> its encoding."""


def observation_table(name: str) -> str:
    """Return a Markdown table of the parts of an observation of the game ``name``."""
    every = _every(name)
    heads = ["name", "axes", "most", *(f"{it.players} players" for it in every), "meaning"]
    rows = []
    for number, part in enumerate(every[0].layout.parts):
        spans = [it.layout.spans[number] for it in every]
        rows.append(
            [
                f"`{part.name}`",
                str(len(part.shape)),
                str(part.most),
                *(f"{span.start} + {span.length}" for span in spans),
                part.meaning,
            ]
        )
    sizes = [str(it.layout.size) for it in every]
    return _table(heads, [*rows, ["all", "", "", *sizes, ""]])


def action_table(name: str) -> str:
    """Return a Markdown table of the numbers of the actions of the game ``name``."""
    every = _every(name)
    heads = ["action", *(f"{it.players} players" for it in every), "number, from the first of them"]
    rows = []
    for number, span in enumerate(every[0].actions):
        spans = [it.actions[number] for it in every]
        rows.append(
            [f"`{span.name}`", *(f"{it.start} + {it.length}" for it in spans), span.meaning]
        )
    return _table(heads, [*rows, ["all", *(str(it.size) for it in every), ""]])


TABLES: Mapping[str, Callable[[str], str]] = {
    "observation": observation_table,
    "actions": action_table,
}


def filled(page: str) -> str:
    """Return ``page`` with each table new that stands between marks.

    They are ``<!-- table GAME KIND -->`` and ``<!-- end -->``, with KIND one of `TABLES`.
    """

    def table(mark: "re.Match[str]") -> str:
        return f"{mark[1]}\n{TABLES[mark[3]](mark[2])}{mark[4]}"

    pattern = r"(<!-- table (\w+) (\w+) -->)\n.*?(<!-- end -->)"
    return re.sub(pattern, table, page, flags=re.DOTALL)


def main(arguments: Sequence[str]) -> None:
    """Bring the tables of the page that is named up to date."""
    (page,) = map(Path, arguments)
    page.write_text(filled(page.read_text("utf-8")), "utf-8")


def _every(name: str) -> list[AnyEncoding]:
    counts = ENCODINGS[name](2).game.player_counts
    return [ENCODINGS[name](players) for players in counts]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    main(sys.argv[1:])
