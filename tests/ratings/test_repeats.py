from dataclasses import replace

from arena.ratings.repeats import distinct
from arena.ratings.result import Result
from tests.ratings.made import TWO, result


def met(
    bots: str, tournament: str, *, cards: str = "sha256:ab", digests: str = "", deal: int = 0
) -> Result:
    """Return a match of two under a key that others have too; a bot is made of its name."""
    found = result(TWO, bots, [2, 1], tournament=tournament, deal=deal)
    return replace(found, cards=cards, digests=tuple((digests or bots).split()))


def test_a_match_of_the_same_bots_on_the_same_cards_counts_once() -> None:
    played = [met("A B", name) for name in ("spring", "summer", "autumn")]

    found = distinct(played)

    assert found.results == (played[0],)
    assert found.repeats == 2


def test_other_cards_seats_or_contents_make_another_match() -> None:
    first = met("A B", "spring")
    others = [
        met("A B", "summer", cards="sha256:cd"),
        met("A B", "summer", deal=1),
        met("B A", "summer"),
        met("A B", "summer", digests="A b"),
    ]

    assert distinct([first, *others]).results == (first, *others)


def test_another_name_for_the_same_contents_makes_none() -> None:
    assert distinct([met("A B", "spring"), met("A C", "summer", digests="A B")]).repeats == 1


def test_what_a_tournament_has_twice_itself_it_keeps() -> None:
    played = [met("A B", "spring"), met("A C", "spring", digests="A B")]

    assert distinct(played).repeats == 0


def test_without_a_fingerprint_all_deals_are_the_tournament_s_own() -> None:
    played = [met("A B", name, cards="") for name in ("spring", "summer")]

    assert distinct(played).results == tuple(played)
