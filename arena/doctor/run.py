"""Making the attacks: in a tier and without one, and what that shows."""

import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from arena.doctor import attacker
from arena.doctor.decoy import Decoy
from arena.doctor.probe import Finding, Outcome, Probe, Seats, Verdict, judged
from arena.doctor.probes import PROBES
from arena.doctor.seat import LIMITS, Answer, Free, Held, Seat, survivors, take_snapshot, write_bot
from arena.players.tier import Tier

_BITS = 8
"""That a seat sends another in a round: as many set as not."""

_ROUNDS = 3
_TRIES = 3
"""So often is an attack repeated that came to nothing, since others use the machine, too."""

_STILL = "nothing changes"
_AWAY_S = 0.4
_PATIENCE_S = 0.3
_GONE_S = 3.0


def examine(tier: Tier, probes: Sequence[Probe] = PROBES) -> list[Finding]:
    """Make all attacks in ``tier`` and without it; return what they show, in the same order.

    Takes a quarter of a minute for all there are.

    Raises:
        HostFault: the machine has no room for it.
    """
    held = _outcomes(probes, tier)
    control = _outcomes(probes, None)
    return [
        judged(probe, held[probe.name], control[probe.name], tier, root=os.geteuid() == 0)
        for probe in probes
    ]


def short(tier: Tier) -> list[Probe]:
    """Return the attacks that work in ``tier``, though it promises otherwise; of the quick ones.

    Takes about a second.

    Raises:
        HostFault: the machine has no room for it.
    """
    return [finding.probe for finding in glance(tier) if finding.verdict is Verdict.OPEN]


def glance(tier: Tier) -> list[Finding]:
    """Make the quick attacks in ``tier`` alone; return what they show, without a control."""
    root = os.geteuid() == 0
    probes = [probe for probe in PROBES if probe.quick and probe.kept.promised(tier, root=root)]
    held = _outcomes(probes, tier)
    return [judged(probe, held[probe.name], None, tier, root=root) for probe in probes]


def _outcomes(probes: Sequence[Probe], tier: Tier | None) -> dict[str, Outcome]:
    """Make the attacks ``probes`` in ``tier``, or, where it is ``None``, in no sandbox at all."""
    with Decoy() as decoy:
        side = _Side(decoy, tier)
        of = {seats: [probe for probe in probes if probe.seats is seats] for seats in Seats}
        found: dict[str, Outcome] = {}
        if of[Seats.ONE] or of[Seats.LATER]:
            with side.seat() as seat:
                for probe in of[Seats.ONE]:
                    found[probe.name] = side.attack(seat, probe)
                for probe in of[Seats.LATER]:
                    side.attack(seat, probe)
            for name in survivors(decoy.mark, 0 if tier is None else _GONE_S):
                found[name] = Outcome(got=True)
        for probe in of[Seats.AWAY]:
            with side.seat() as seat:
                found[probe.name] = side.leave(seat, probe)
        for probe in of[Seats.ALONE]:
            with side.seat() as seat:
                found[probe.name] = side.attack(seat, probe)
        if of[Seats.LATER] or of[Seats.TWO]:
            with side.seat() as sender, side.seat() as receiver:
                for probe in of[Seats.LATER]:
                    found[probe.name] = side.attack(receiver, probe, "find")
                for probe in of[Seats.TWO]:
                    found[probe.name] = side.signal(sender, receiver, probe)
    return found


class _Side:
    """One side of the comparison: where its seats are, and how they are asked."""

    def __init__(self, decoy: Decoy, tier: Tier | None) -> None:
        self._decoy = decoy
        self._tier = tier
        self._facts = decoy.facts | {
            "memory": LIMITS.memory_mb,
            "patience": 0 if tier is None else _PATIENCE_S,
        }
        self._bot = decoy.root / "bot"
        self._snapshot = decoy.root / "snapshot"
        write_bot(self._bot)
        if tier is not None:
            take_snapshot(self._bot, self._snapshot)

    @contextmanager
    def seat(self) -> Iterator[Seat]:
        """Yield a process that carries out attacks, for the length of the context."""
        seat: Seat = (
            Free(self._bot, self._decoy) if self._tier is None else Held(self._snapshot, self._tier)
        )
        try:
            yield seat
        finally:
            seat.stop()

    def attack(self, seat: Seat, probe: Probe, function: str = "attack") -> Outcome:
        """Have ``seat`` make an attack of its own."""
        answer = self._order(seat, probe, "attack", function=function)
        text = str(answer.get("got"))
        got = self._decoy.secret in text or text == attacker.GOT
        return Outcome(got or probe.name in self._decoy.noticed(), answer.get("why", ""))

    def leave(self, seat: Seat, probe: Probe) -> Outcome:
        """Have ``seat`` start something, and see whether it runs when ``seat`` is not asked."""
        with self._opened(seat, probe) as answer:
            if "got" not in answer:
                return Outcome(got=False, why=answer.get("why", ""))
            done = seat.order(do="hold")
            time.sleep(_AWAY_S)
            found = seat.order(do="sense")
            return Outcome(
                found.get("got") == attacker.GOT, done.get("why") or found.get("why", "")
            )

    def signal(self, sender: Seat, receiver: Seat, probe: Probe) -> Outcome:
        """Have ``sender`` tell ``receiver`` bits by what it does."""
        outcome = Outcome(got=False)
        for _ in range(_TRIES):
            with (
                self._opened(receiver, probe) as there,
                self._opened(sender, probe, peer=there.get("got")) as here,
            ):
                if "got" not in here or "got" not in there:
                    return Outcome(got=False, why=here.get("why") or there.get("why", ""))
                outcome = _told(sender, receiver)
            if outcome.got or outcome.why:
                break
        return outcome

    @contextmanager
    def _opened(self, seat: Seat, probe: Probe, **more: Any) -> Iterator[Answer]:  # noqa: ANN401
        """Have ``seat`` be ready for the orders of ``probe``, for the length of the context."""
        answer = self._order(seat, probe, "open", **more)
        try:
            yield answer
        finally:
            if "got" in answer:
                seat.order(do="close")

    def _order(self, seat: Seat, probe: Probe, do: str, **more: Any) -> Answer:  # noqa: ANN401
        facts = self._facts
        return seat.order(do=do, code=probe.code, name=probe.name, decoy=facts, **more)


def _told(sender: Seat, receiver: Seat) -> Outcome:
    """Return whether bits that ``sender`` is given can be read off what ``receiver`` senses."""
    known: set[str] | None = None
    # What fits by chance once, as one in 35 does, does not fit again and again.
    for _ in range(_ROUNDS):
        bits = [*[False] * (_BITS // 2), *[True] * (_BITS // 2)]
        secrets.SystemRandom().shuffle(bits)
        sensed, why = _sensed(sender, receiver, bits)
        fitting = {name for name in sensed[0] if _tell(bits, [it.get(name) for it in sensed])}
        known = fitting if known is None else known & fitting
        if not known:
            still = sensed[0] != {"": None} and all(it == sensed[0] for it in sensed)
            return Outcome(got=False, why=why or (_STILL if still else ""))
    return Outcome(got=True, why=", ".join(sorted(known or ())))


def _sensed(sender: Seat, receiver: Seat, bits: Sequence[bool]) -> tuple[list[dict[str, Any]], str]:
    """Return what ``receiver`` senses after each of ``bits``, and what one of them ran into."""
    # It may be a difference to what it sensed before.
    receiver.order(do="sense")
    sensed: list[dict[str, Any]] = []
    why = ""
    for bit in bits:
        done = sender.order(do="hold" if bit else "drop")
        answer = receiver.order(do="sense")
        why = answer.get("why") or done.get("why") or why
        got = answer.get("got")
        sensed.append(got if isinstance(got, dict) else {"": got})
    return sensed, why


def _tell(bits: Sequence[bool], sensed: Sequence[Any]) -> bool:
    """Return whether what was sensed with the bit set and without lies apart."""
    off = [value for bit, value in zip(bits, sensed, strict=True) if not bit]
    on = [value for bit, value in zip(bits, sensed, strict=True) if bit]
    if all(isinstance(value, (int, float)) for value in sensed):
        return bool(max(off) < min(on) or max(on) < min(off))
    return str(off[0]) != str(on[0]) and len({*map(str, off)}) == len({*map(str, on)}) == 1
