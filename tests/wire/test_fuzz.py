"""Lines that are a little or entirely wrong, out of a seeded generator.

Three ways in: the codec alone, whole matches over pipes with a bot that is in this process, and
matches of real bots that say what was written for them. Whatever is said, there is a fault with a
code of the protocol or the match goes on, and nobody is waited for longer than the rules have it.
"""

import base64
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from fcntl import F_SETPIPE_SZ, fcntl
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from arena.errors import BotFault, FaultCode
from arena.games import get_game
from arena.games.base import AnyGame
from arena.games.deal import Deal, DealtChance
from arena.players.channel import LineChannel
from arena.players.process import BotProcess, Program, stop_all
from arena.players.scripted import Scripted, at_random
from arena.referee.limits import Limits
from arena.referee.play import FAULT_GRACE_MS, Played, play
from arena.referee.player import Player
from arena.wire.codec import NotLegal, Question, explain, parse_object, read_action, read_ready
from arena.wire.escape import printable
from tests.tiny_bots import program
from tests.tuck_game import TUCK

KEY = bytes(range(32))
SEED = 20_260_101
LATE_S = 1.0
"""How much later than its deadline a wait may end on a busy machine; a hang has no end."""

ID, ACTION = b"@ID@", b"@ACTION@"
"""What a line has in place of the question's id and of a legal action."""

VALID = (
    b'{"type":"action","id":@ID@,"action":@ACTION@}',
    b'{"type": "action", "id": @ID@, "action": @ACTION@}',
    b'{"action":@ACTION@,"id":@ID@,"type":"action"}\r',
    b' {"id":@ID@,\t"type":"action","action" :@ACTION@} ',
)
READY = (
    b'{"type":"ready","protocol":1}',
    b'{"type":"ready","protocol":1,"name":"x","version":"2","games":["tuck","donburiko"]}',
    b'{"legal_actions":false,"protocol":1,"type":"ready"}',
)
PIECES = (
    *(b"{", b"}", b"[", b"]", b'"', b"\\", b":", b",", b"\n", b"\r", b"\r\n", b"\0", b" "),
    *(b"NaN", b"-Infinity", b"1e999", b"-0", b"0.5", b"1e3", b"01", b"0x1", b"9" * 20),
    *(b"9" * 5_000, b"true", b"false", b"null", b"tru", b'"\\ud800"', b'"\\u0000"', b"\xff"),
    *(b"\xc0\xaf", b"\xef\xbb\xbf", b"\x1b[2J", b'"type":"action",', b'"id":1,', b'{"id":'),
    *(b'"action":{}', b'"card":1.0', b'"up":1', b'"__proto__":0,'),
)  # fmt: skip
VALUES = (
    *(b"0", b"-1", b"1.0", b"true", b"null", b'""', b"[]", b"{}", b"[[]]", b"[NaN]", b"@ID@"),
    *(b'"@ID@"', b"@ID@0", b"@ACTION@", b"[@ACTION@]", b'"play"', b'"claim"', b"1" * 400),
    *(b"9223372036854775808", b"-9223372036854775808", b"1e999", b"1E400"),
)  # fmt: skip
OTHER_ACTIONS = (
    b"{}",
    b'{"type":"play"}',
    b'{"type":"claim","column":9}',
    b'{"type":"claim","column":true}',
    b'{"type":"play","card":10,"up":true}',
    b'{"type":"play","card":"loach","column":-1,"up":1}',
    b'{"type":"place","card":1.0,"row":0,"slot":0,"up":true}',
    b'{"type":"reserve","pair":[49,48],"extra":[[]],"take":{},"row":"0","slot":null}',
    b'{"type":["play"],"\\u0000":"\\u202e\xc3\xa9","":9223372036854775807}',
    b'{"action":@ACTION@}',
)
VALUE = re.compile(rb'@ID@|@ACTION@|"[a-z]*"|\d+|true|false|null')
DEPTHS = (2, 10, 62, 63, 64, 65, 200)

Mutation = Callable[[random.Random, bytes], bytes]


def dice_of(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - repeatable, and no secret


def flipped(dice: random.Random, line: bytes) -> bytes:
    changed = bytearray(line)
    for _ in range(dice.randint(1, 8) if line else 0):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def cut(dice: random.Random, line: bytes) -> bytes:
    begin, end = sorted((dice.randint(0, len(line)), dice.randint(0, len(line))))
    return dice.choice((line[:end], line[begin:], line[:begin] + line[end:]))


def doubled(dice: random.Random, line: bytes) -> bytes:
    begin, end = sorted((dice.randint(0, len(line)), dice.randint(0, len(line))))
    return line[:end] + line[begin:end] * dice.choice((1, 1, 2, 50)) + line[end:]


def pieced(dice: random.Random, line: bytes) -> bytes:
    at = dice.randint(0, len(line))
    return line[:at] + dice.choice(PIECES) + line[at:]


def revalued(dice: random.Random, line: bytes) -> bytes:
    found = list(VALUE.finditer(line[:4_096]))
    if not found:
        return line
    begin, end = dice.choice(found).span()
    return line[:begin] + dice.choice(VALUES) + line[end:]


def misdirected(dice: random.Random, line: bytes) -> bytes:
    return line.replace(ACTION, dice.choice(OTHER_ACTIONS))


def nested(dice: random.Random, line: bytes) -> bytes:
    depth = dice.choice(DEPTHS) if dice.random() < 0.98 else 30_000
    opening, closing = dice.choice(((b"[", b"]"), (b'{"a":', b"}")))
    begin, end = 0, len(line)
    if found := list(VALUE.finditer(line[:4_096])):
        begin, end = dice.choice(found).span()
    return line[:begin] + opening * depth + line[begin:end] + closing * depth + line[end:]


def padded(dice: random.Random, line: bytes) -> bytes:
    return line + dice.choice((b" ", b"\t", b"x", b"\0")) * dice.choice((1, 100, 65_400, 70_000))


def noise(dice: random.Random, _: bytes) -> bytes:
    return dice.randbytes(dice.randint(0, 300))


MUTATIONS: Sequence[Mutation] = (
    *(flipped, flipped, cut, cut, doubled, pieced, pieced, pieced),
    *(revalued, revalued, revalued, misdirected, nested, noise),
)


def fuzzed(dice: random.Random, valid: Sequence[bytes] = VALID) -> bytes:
    """Return a line that was once one of ``valid``."""
    line = dice.choice(valid)
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        # Long lines are dear, and one in a hundred shows as much.
        mutation = padded if dice.random() < 0.01 else dice.choice(MUTATIONS)
        line = mutation(dice, line)
    return line


def filled(line: bytes, number: int, action: bytes) -> bytes:
    return line.replace(ID, b"%d" % number).replace(ACTION, action)


# The codec alone


@cache
def questions() -> Sequence[tuple[AnyGame, Question]]:
    """Return the first question of each game."""
    found = []
    for game in (TUCK, get_game("donburiko"), get_game("couperation")):
        chance = DealtChance(Deal(KEY, game.name, game.variants[0], 2, 0))
        state = game.deal(chance, 2, game.variants[0])
        seat = game.to_act(state)
        assert seat is not None
        shown = game.observe(state, seat), game.events(state, seat), game.legal_actions(state)
        found.append((game, Question(*shown)))
    return found


def verdict(read: Callable[[], Any], game: AnyGame) -> str:
    """Return what became of a line; every other exception passes through."""
    found: BotFault | NotLegal | None = None
    try:
        read()
    except (BotFault, NotLegal) as refusal:
        found = refusal
    if isinstance(found, BotFault):
        assert found.code is FaultCode.BAD_MESSAGE
        assert printable(found.text) == found.text
        return "refused"
    if isinstance(found, NotLegal):
        value = explain(found.action, game.action_type)
        assert not isinstance(value, str) or printable(value) == value
        return "not legal"
    return "accepted"


def read_lines(lines: int, seed: int) -> Counter[str]:
    """Hand ``lines`` to the codec, and return how often it did what."""
    dice = dice_of(seed)
    found: Counter[str] = Counter()
    for _ in range(lines):
        game, question = dice.choice(questions())
        number = dice.randrange(2**53)
        line = filled(fuzzed(dice, VALID), number, dice.choice(question.actions))
        ready = fuzzed(dice, READY)
        readings = (
            lambda line=line, number=number, question=question: read_action(line, number, question),
            lambda ready=ready: read_ready(ready),
            lambda line=line: parse_object(line),
        )
        began = time.process_time()
        found[verdict(dice.choices(readings, (3, 1, 1))[0], game)] += 1
        assert time.process_time() - began < LATE_S
    return found


def test_no_line_gets_more_out_of_the_codec_than_a_fault() -> None:
    found = read_lines(4_000, SEED)

    assert found.total() == 4_000
    assert min(found[name] for name in ("accepted", "refused", "not legal")) > 50


# Matches over pipes


class OverPipes(Player):
    """A player that sits behind real pipes, and says what ``speak`` has for a question."""

    def __init__(self, speak: Callable[[bytes], bytes | None]) -> None:
        self._speak = speak
        (self._from_referee, to_bot), (from_bot, self._out) = os.pipe(), os.pipe()
        log, self._err = os.pipe()
        self._gone, self._alive = os.pipe()
        fcntl(self._out, F_SETPIPE_SZ, 1 << 20)
        self._channel = LineChannel(to_bot, from_bot, log, self._gone)
        self._channel.attend(self._answer, lambda: None, lambda *_: 0.0)
        self._stopped = False

    def _answer(self) -> None:
        if self._alive < 0:
            return
        said = self._speak(os.read(self._from_referee, 1 << 20))
        if said is None:
            self._leave()
        else:
            os.write(self._err, b"!")
            os.write(self._out, said[: 1 << 19])

    def _leave(self) -> None:
        for descriptor in (self._alive, self._out, self._err):
            os.close(descriptor)
        self._alive = -1

    def ask(self, line: bytes, budget_ms: int) -> bytes:
        began = time.monotonic()
        try:
            return self._channel.ask(line, budget_ms)
        finally:
            assert time.monotonic() - began < budget_ms / 1000 + LATE_S

    def tell(self, line: bytes) -> None:
        self._channel.tell(line)

    def stop(self, grace_ms: int) -> None:
        if not self._stopped:
            self._stopped = True
            self._channel.close()
            if self._alive >= 0:
                self._leave()
            os.close(self._gone)
            os.close(self._from_referee)


class Speaker:
    """Says mostly what is right, and counts what it says."""

    def __init__(self, seed: int) -> None:
        self._dice = dice_of(seed)
        self.said = 0

    def __call__(self, heard: bytes) -> bytes | None:
        question = heard.rstrip(b"\n").rpartition(b"\n")[2]
        if question.startswith(b'{"type":"hello"'):
            return self._spoken(READY, 0, b"", wrong=0.1)
        number = int(question[19 : question.index(b",", 19)])
        start = question.find(b'"legal_actions":[')
        legal = b"{}"
        if start >= 0:
            offered = question[start + 17 : question.rindex(b'],"move_ms"')]
            legal = self._dice.choice(offered.replace(b"},{", b"}\n{").split(b"\n"))
        return self._spoken(VALID, number, legal, wrong=0.5)

    def _spoken(
        self, valid: Sequence[bytes], number: int, action: bytes, wrong: float
    ) -> bytes | None:
        self.said += 1
        dice = self._dice
        if dice.random() >= wrong:
            return filled(dice.choice(valid), number, action) + b"\n"
        # Silence costs a whole move, so it is rare.
        if (chance := dice.random()) < 0.02:
            return dice.choice((None, b"", filled(fuzzed(dice, valid), number, action)))
        more = filled(fuzzed(dice, valid), number, action) + b"\n" if chance < 0.1 else b""
        return filled(fuzzed(dice, valid), number, action) + b"\n" + more


SHORT = Limits(move_ms=20, start_ms=20)


def converse(lines: int, seed: int) -> tuple[int, Counter[str]]:
    """Play matches until ``lines`` were said; return how many that were, and how matches ended."""
    found: Counter[str] = Counter()
    said = 0
    while said < lines:
        number = found.total()
        speaker = Speaker(seed + number)
        game = get_game("donburiko") if number % 4 == 3 else TUCK
        players: list[OverPipes | Scripted] = [OverPipes(speaker), OverPipes(speaker)]
        players.append(Scripted(at_random(KEY)))
        deal = Deal(KEY, game.name, game.variants[0], len(players), number)
        with ExitStack() as stack:
            for player in players:
                stack.callback(player.stop, 0)
            played = play(game, deal, players, SHORT)
        check(played)
        said += speaker.said
        found.update([ending(played)])
    return said, found


def check(played: Played) -> None:
    """Check that a match ended as one does, and that its faults can be told."""
    assert len(played.outcome.ranks) > 1
    for fault in played.faults:
        assert FaultCode(fault.code)
        assert printable(fault.text) == fault.text
    for offending in played.offending:
        assert printable(offending.text) == offending.text


def ending(played: Played) -> str:
    return "+".join(sorted(fault.code for fault in played.faults)) or "no fault"


def codes(found: Counter[str]) -> set[str]:
    return {code for name in found for code in name.split("+")}


def test_no_conversation_ends_otherwise_than_by_the_rules() -> None:
    said, found = converse(3_000, SEED)

    assert said >= 3_000
    assert codes(found) == {
        *("no fault", "start_failed", "timeout", "exited", "bad_message", "illegal_action")
    }


# Matches of real bots

REPLAYING = """
import base64
lines = [base64.b64decode(line) for line in open(os.path.dirname(__file__) + "/lines")]
ready()
for message in acts():
    legal = json.dumps(message["legal_actions"][0], separators=(",", ":")).encode()
    line = lines.pop() if lines else b"@END@"
    raw(line.replace(b"@ID@", b"%d" % message["id"]).replace(b"@ACTION@", legal))
"""


def replaying(folder: Path, dice: random.Random) -> Program:
    """Write a bot that says fuzzed lines, most of them after some that are right."""
    lines = [fuzzed(dice) + b"\n" * (dice.random() < 0.98)]
    lines += [dice.choice(VALID) + b"\n" for _ in range(dice.choice((0, 0, 1, 3)))]
    bot = program(REPLAYING, folder)
    (bot.folder / "lines").write_bytes(b"\n".join(map(base64.b64encode, lines)))
    return bot


def match_of_processes(bots: Sequence[Program], number: int) -> Played:
    """Play a match of ``bots``, and check that it takes no longer than it may."""
    limits = Limits(move_ms=200, memory_mb=128)
    deal = Deal(KEY, "donburiko", "standard", len(bots), number)
    held: list[BotProcess] = []
    began = time.monotonic()
    with ExitStack() as stack:
        stack.callback(stop_all, held, 0)
        held.extend(BotProcess(bot, limits) for bot in bots)
        played = play(get_game("donburiko"), deal, held, limits)
    longest_ms = len(bots) * (limits.start_ms + FAULT_GRACE_MS) + limits.move_ms * 8
    assert time.monotonic() - began < longest_ms / 1000 + LATE_S
    check(played)
    return played


def replay(matches: int, seed: int, folder: Path) -> Counter[str]:
    dice = dice_of(seed)
    found: Counter[str] = Counter()
    for number in range(matches):
        bots = [replaying(folder / f"{seat}", dice) for seat in range(4)]
        found.update([ending(match_of_processes(bots, number))])
    return found


@pytest.mark.slow
def test_no_real_bot_ends_a_match_otherwise_than_by_the_rules(tmp_path: Path) -> None:
    found = replay(6, SEED, tmp_path)

    assert found.total() == 6
    assert codes(found) <= {code.value for code in FaultCode}


@pytest.mark.long
@pytest.mark.timeout(3_600)
def test_a_million_lines(tmp_path: Path) -> None:
    read = read_lines(500_000, SEED + 1)
    said, endings = converse(500_000, SEED + 2)
    replayed = replay(500, SEED + 3, tmp_path)

    # For `make long`, which shows what the tests print.
    print(f"codec: {read.total()} lines, {dict(read)}")  # noqa: T201
    print(f"pipes: {said} lines, {endings.total()} matches, {dict(endings)}")  # noqa: T201
    print(f"bots: {replayed.total()} matches of four, {dict(replayed)}")  # noqa: T201
    assert read.total() + said >= 1_000_000
    assert codes(endings + replayed) <= {"no fault", *(code.value for code in FaultCode)}
