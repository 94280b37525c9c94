"""All probes, in the order in which they are told."""

from arena.doctor import (
    probes_bombs,
    probes_cache,
    probes_channels,
    probes_counters,
    probes_escapes,
    probes_files,
    probes_kernel,
    probes_memory,
    probes_quotas,
    probes_reach,
    probes_secrets,
)
from arena.doctor.probe import Probe

PROBES: tuple[Probe, ...] = (
    *probes_secrets.PROBES,
    *probes_reach.PROBES,
    *probes_escapes.PROBES,
    *probes_kernel.PROBES,
    *probes_channels.PROBES,
    *probes_files.PROBES,
    *probes_counters.PROBES,
    *probes_quotas.PROBES,
    *probes_cache.PROBES,
    *probes_memory.PROBES,
    *probes_bombs.PROBES,
)
