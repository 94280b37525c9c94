"""What a bot may use: time on every platform, memory and files where the platform can hold it."""

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of one seat; milliseconds are whole numbers from end to end."""

    move_ms: int = 1000
    """Wall time for each decision."""

    extra_ms: int = 0
    """Wall time a match, to be used where a decision takes longer than ``move_ms``."""

    start_ms: int = 10_000
    """Wall time from ``hello`` to ``ready``; never charged to a move."""

    memory_mb: int = 512
    """Private memory of each process of the seat, in MiB."""

    file_mb: int = 16
    """Size of any file it writes, in MiB."""

    open_files: int = 256
    """Descriptors of each process."""
