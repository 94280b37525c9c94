"""What a bot may use: time on every platform, memory and files where the platform can hold it.

Where a function takes ``None`` in place of limits, they are off: nothing is held to anything.
"""

from collections.abc import Mapping
from typing import Annotated, get_type_hints

import msgspec
from msgspec import Meta

from arena.errors import UsageError
from arena.wire.messages import HelloLimits

MOST_MS = 3_600_000
"""The longest time for one decision, and for a start."""

MOST_EXTRA_MS = 86_400_000

UNCLOCKED_MS = 2_000_000_000
"""Stands for no limit in time: 23 days, and hardly less than what poll(2) can wait."""

_Ms = Annotated[int, Meta(ge=1, le=MOST_MS)]
_Mb = Annotated[int, Meta(ge=1, le=1_048_576)]


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one seat; milliseconds are whole numbers from end to end."""

    move_ms: _Ms = 1000
    """Wall time for each decision."""

    extra_ms: Annotated[int, Meta(ge=0, le=MOST_EXTRA_MS)] = 0
    """Wall time a match, to be used where a decision takes longer than ``move_ms``."""

    slot_ms: Annotated[int, Meta(ge=0, le=MOST_MS)] = 0
    """Wall time from a question to the next, however soon it is answered; 0: at once.

    See `check_slot`.
    """

    start_ms: _Ms = 10_000
    """Wall time from ``hello`` to ``ready``; never charged to a move."""

    memory_mb: _Mb = 512
    """Memory of all processes of the seat together, in MiB."""

    processes: Annotated[int, Meta(ge=1, le=4_096)] = 64
    """Processes and threads of the seat together."""

    file_mb: _Mb = 16
    """Size of any file that it writes, in MiB."""

    tmp_mb: _Mb = 64
    """All files that it writes together, in MiB, and as much again in shared memory."""

    open_files: Annotated[int, Meta(ge=16, le=65_536)] = 256
    """Descriptors of each process."""

    stderr_kb: Annotated[int, Meta(ge=1, le=1_024)] = 8
    """What is kept of its standard error, in KiB: the first quarter and the end."""


BOUNDS: Mapping[str, tuple[int, int]] = {
    name: (hint.__metadata__[0].ge, hint.__metadata__[0].le)
    for name, hint in get_type_hints(Limits, include_extras=True).items()
}
"""The least and the most that each limit can be."""


def check_slot(limits: Limits) -> Limits:
    """Return ``limits`` if no decision can outlast the slot.

    Raises:
        UsageError: one can, and would let others see how long it took.
    """
    longest = limits.move_ms + limits.extra_ms
    if 0 < limits.slot_ms < longest:
        raise UsageError(
            f"a slot of {limits.slot_ms} ms is shorter than a decision may be "
            f"({longest} ms, extra time included): make it at least as long"
        )
    return limits


def told(limits: Limits | None) -> HelloLimits | None:
    """Return what a bot that is held to ``limits`` is told of them in ``hello``."""
    if limits is None:
        return None
    return HelloLimits(**{name: getattr(limits, name) for name in HelloLimits.__struct_fields__})
