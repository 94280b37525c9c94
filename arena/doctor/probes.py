"""All probes, in the order of the threats."""

from arena.doctor import (
    probes_bombs,
    probes_cache,
    probes_channels,
    probes_counters,
    probes_escapes,
    probes_reach,
    probes_secrets,
)
from arena.doctor.probe import Probe

PROBES: tuple[Probe, ...] = (
    *probes_secrets.PROBES,
    *probes_reach.PROBES,
    *probes_escapes.PROBES,
    *probes_bombs.PROBES,
    *probes_channels.PROBES,
    *probes_counters.PROBES,
    *probes_cache.PROBES,
)
