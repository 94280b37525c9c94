"""Who can be compared in the end: groups of bots that a schedule lets meet, directly or not."""

from collections.abc import Iterator

from arena.referee.category import Mode
from arena.tournament.schedule import Section


def groups(section: Section) -> tuple[tuple[str, ...], ...]:
    """Return the bots of ``section`` by group, the largest first; mostly there is one alone.

    Bots of one group meet each other, or others that meet each other, and so on. Those of
    different groups never do, so that their ratings cannot be compared.
    """
    apart = [{bot} for bot in section.bots]
    for met in _meetings(section):
        joined = {bot for group in apart if not group.isdisjoint(met) for bot in group}
        apart = [group for group in apart if group.isdisjoint(met)]
        apart.append(joined)
        if len(apart) == 1:
            break
    found = (tuple(sorted(group)) for group in apart)
    return tuple(sorted(found, key=lambda group: (-len(group), group)))


def _meetings(section: Section) -> Iterator[tuple[str, ...]]:
    """Yield bots that are compared with each other."""
    if section.category.mode is Mode.TABLE and section.tables_each is None:
        # Of all tables, any two authors share some, and so do two bots of one with any other's.
        yield section.bots
    elif section.category.mode is Mode.TABLE:
        # The tables are the same on every deal.
        yield from next(section.seatings(), ())
    else:
        for teams in section.seatings():
            yield tuple(bot for team in teams for bot in team)
