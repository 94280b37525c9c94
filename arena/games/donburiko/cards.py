"""The cards of Donburiko, and what a column of them is worth. Numbers refer to RULES.md."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

Face: TypeAlias = Literal["1", "2", "3", "4", "5", "1/5", "-1", "-2", "loach"]
SeenFace: TypeAlias = Literal[Face, "?"]
"""A face as a seat sees it; ``"?"`` is one that it may not see."""

FACES: tuple[Face, ...] = get_args(Face)
"""Each face once, in canonical order."""

HIDDEN: SeenFace = "?"

PLAYER_COUNTS = (2, 3, 4)

_COPIES: Mapping[Face, int] = {
    "1": 1, "2": 2, "3": 2, "4": 2, "5": 1, "1/5": 2, "-1": 2, "-2": 2, "loach": 2,
}  # fmt: skip
_ALL: tuple[Face, ...] = tuple(face for face in FACES for _ in range(_COPIES[face]))  # R1
_DECKS = {
    2: tuple(face for face in _ALL if face != "1/5"),  # R2
    3: _ALL,
    4: _ALL,
}

# A "1/5" counts its lower value here; what it may count beyond that is added on top.
_VALUES: Mapping[Face, int] = {
    "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "1/5": 1, "-1": -1, "-2": -2, "loach": 0,
}  # fmt: skip
_FLIPPED: Mapping[Face, int] = {face: abs(value) for face, value in _VALUES.items()}  # R14a
_CHOICE = 4
"""How much more a ``"1/5"`` counts as 5 than as 1."""

BEST_SUM = 6
_RANKS: Mapping[Face, int] = {face: rank for rank, face in enumerate(FACES)}


def deck(players: int) -> tuple[Face, ...]:
    """Return the cards for ``players`` in canonical order (R1, R2).

    Raises:
        ValueError: Donburiko is not for that many.
    """
    if players not in _DECKS:
        raise ValueError(f"Donburiko is for 2 to 4 players, not {players}")
    return _DECKS[players]


def in_order(faces: Sequence[Face]) -> tuple[Face, ...]:
    """Return ``faces`` in canonical order."""
    return tuple(sorted(faces, key=_RANKS.__getitem__))


def payment(total: int) -> int:
    """Return the tokens a claimer is due for a column worth ``total``; negative to pay them.

    What the bank and the claimer have is left aside (R15, R15a, R15b).
    """
    return total if total <= BEST_SUM else BEST_SUM - total


def column_sum(faces: Sequence[Face]) -> int:
    """Return what a column of ``faces`` is worth (R14), each ``"1/5"`` at its best (R14b)."""
    values = _FLIPPED if "loach" in faces else _VALUES
    lowest = sum([values[face] for face in faces])
    choices = faces.count("1/5")
    if not choices:
        return lowest
    return max(range(lowest, lowest + _CHOICE * choices + 1, _CHOICE), key=payment)
