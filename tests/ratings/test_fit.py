import pytest

from arena.errors import HostFault
from arena.ratings import equations
from arena.ratings.fit import Fit
from arena.ratings.trueskill import MU0, Rating
from arena.ratings.units import Unit, ordered
from tests.ratings.made import duel, free_for_all

UNITS = ordered(
    [
        free_for_all("u0", "ABCD", (1, 2, 2, 4)),
        Unit("u1", (("A", "D"), ("B", "C")), (2, 1)),
        Unit("u2", (("C", "D"), ("A",)), (1, 2)),
        duel("u3", "D", "B"),
    ]
)


def solved() -> Fit:
    fit = Fit("ABCD", UNITS, 0.1)
    fit.solve(100)
    return fit


def test_once_it_has_settled_no_unit_has_anything_to_add() -> None:
    """A whole update on the cavity gives back the message that is there."""
    fit = solved()

    for at, unit in enumerate(UNITS):
        said = equations.messages(fit._cavities(at), unit.ranks, 0.1)
        flat = [number for side in said for message in side for number in message]
        assert list(fit.messages())[at][: len(flat)] == pytest.approx(flat, abs=1e-8)


def test_beliefs_are_centred() -> None:
    assert sum(rating.mu for rating in solved().ratings().values()) == pytest.approx(4 * MU0)


def test_it_goes_on_from_messages_to_the_same_end() -> None:
    fit = solved()
    again = Fit("ABCD", UNITS, 0.1, list(fit.messages()))
    again.solve(100)

    assert again.sweeps < fit.sweeps
    for bot, rating in fit.ratings().items():
        assert again.ratings()[bot].mu == pytest.approx(rating.mu, abs=1e-7)


def test_messages_of_the_wrong_length_are_passed_over() -> None:
    fit = Fit("ABCD", UNITS, 0.1, [(), (0.1,), (0.1, 0.2) * 9, ()])

    assert fit.ratings() == dict.fromkeys("ABCD", Rating())


def test_the_package_agrees_with_what_has_settled() -> None:
    solved().check(most=100)


def test_ratings_that_the_package_does_not_confirm_are_refused() -> None:
    fit = solved()
    fit._taus[0] += 1e-4

    with pytest.raises(HostFault, match="trueskill package"):
        fit.check(most=100)


def test_numbers_that_are_none_are_refused() -> None:
    fit = solved()
    fit._taus[0] = float("nan")

    with pytest.raises(HostFault, match="trueskill package"):
        fit.check(most=100)


def test_one_checked_unit_is_the_first() -> None:
    fit = Fit("ABCD", UNITS, 0.1)
    fit.solve(100)
    fit._message_taus[-1] += 1  # of D in the last unit

    fit.check(most=1)
    with pytest.raises(HostFault):
        fit.check(most=100)
