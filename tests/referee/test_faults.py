"""Every fault, in each game, at start-up, at the first move and later, of one seat and of more."""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest

from arena.errors import FaultCode
from arena.games import get_game
from arena.games.deal import Deal
from arena.players import strays
from arena.players.process import BotProcess, Program, stop_all
from arena.players.sandbox import isolation
from arena.players.tier import Tier
from arena.referee.limits import Limits
from arena.referee.play import Played, play
from arena.referee.replay import replay
from tests.records import record_of
from tests.tiny_bots import HONEST, program

pytestmark = pytest.mark.slow

KEY = bytes(32)
LIMITS = Limits(move_ms=20_000, memory_mb=128)
SHORT = Limits(move_ms=400, start_ms=400)
"""For the bots that are silent at start-up."""

SHORT_MOVES = Limits(move_ms=400)
"""For the bots that are silent at a move."""

AT_START = {
    "syntax error": "def",
    "silent": "time.sleep(60)",
    "exits": "sys.exit(4)",
    "not json": "hear(); raw(b'hello\\n'); time.sleep(60)",
    "another protocol": "hear(); say(type='ready', protocol=2); time.sleep(60)",
    "plays no game": "hear(); say(type='ready', protocol=1, games=[]); time.sleep(60)",
    "an action": "hear(); say(type='action', id=1, action={}); time.sleep(60)",
}

AT_MOVE = {
    "timeout": ("time.sleep(60)", FaultCode.TIMEOUT),
    "half a line": ("raw(b'{\"id\":1'); time.sleep(60)", FaultCode.TIMEOUT),
    "exited": ("sys.exit(3)", FaultCode.EXITED),
    "killed": ("os.kill(os.getpid(), 9)", FaultCode.EXITED),
    "not json": ("raw(b'thinking...\\n')", FaultCode.BAD_MESSAGE),
    "wrong id": (
        "say(type='action', id=message['id'] + 1, action=message['legal_actions'][0])",
        FaultCode.BAD_MESSAGE,
    ),
    "over-long": ("raw(b'x' * 100_000)", FaultCode.BAD_MESSAGE),
    "not utf-8": ("raw(b'\\xff\\n')", FaultCode.BAD_MESSAGE),
    "no object": ("say(type='action', id=message['id'], action=[])", FaultCode.BAD_MESSAGE),
    "illegal": (
        "say(type='action', id=message['id'], action={'type': 'nothing'})",
        FaultCode.ILLEGAL_ACTION,
    ),
    "true for a number": (
        (
            "action = message['legal_actions'][0]\n"
            "key = next(key for key in action if isinstance(action[key], int))\n"
            "say(type='action', id=message['id'], action=action | {key: float(action[key])})"
        ),
        FaultCode.ILLEGAL_ACTION,
    ),
    "out of memory": (
        "hold = []\nwhile True: hold.append(bytearray(20_000_000))",
        FaultCode.OUT_OF_MEMORY,
    ),
    "a second line": ("answer(message); raw(b'more\\n'); time.sleep(0)", FaultCode.BAD_MESSAGE),
}
"""Misbehaviour at an ``act`` message, and the code of the fault that it is."""

GAMES = [("donburiko", "standard"), ("couperation", "standard")]


def at_move(name: str, moves_before: int) -> str:
    body = AT_MOVE[name][0].replace("\n", "\n        ")
    return (
        "ready()\n"
        "for number, message in enumerate(acts()):\n"
        f"    if number < {moves_before}: answer(message)\n"
        f"    else:\n        {body}\n"
    )


def limits_for(name: str) -> Limits:
    return SHORT_MOVES if AT_MOVE[name][1] is FaultCode.TIMEOUT else LIMITS


Match = Callable[..., tuple[Played, list[BotProcess]]]


@pytest.fixture(params=[Tier.NONE, Tier.BWRAP])
def match(request: pytest.FixtureRequest) -> Match:
    """Plays a match in each of the tiers, and its record once more."""
    tier = request.param
    if tier is Tier.BWRAP and (lacking := isolation().lacking):
        pytest.skip(lacking)

    def play_match(
        game: str, variant: str, seats: Sequence[Program], limits: Limits = LIMITS
    ) -> tuple[Played, list[BotProcess]]:
        deal = Deal(key=KEY, game=game, variant=variant, players=len(seats), number=0)
        bots = [BotProcess(seat, limits, tier) for seat in seats]
        with ExitStack() as stack:
            stack.callback(stop_all, bots, grace_ms=0)
            played = play(get_game(game), deal, bots, limits)
            stop_all(bots)
        replay(record_of(played, deal, limits))
        return played, bots

    return play_match


def check(played: Played, faulty: set[int], code: FaultCode, game: str) -> None:
    """Check what must hold after faults of ``code`` in the seats ``faulty``, whatever the rest."""
    assert {fault.seat for fault in played.faults} == faulty
    assert {fault.code for fault in played.faults} == {code}
    ranks = played.outcome.ranks
    open_ranks = [rank for seat, rank in enumerate(ranks) if seat not in faulty]
    assert all(ranks[seat] > rank for seat in faulty for rank in open_ranks)
    if game == "couperation":
        assert played.outcome.reason == "fault"
        assert all(played.outcome.scores[seat] == 0 for seat in faulty)
    elif len(ranks) - len(faulty) <= 1:
        assert played.outcome.reason == "walkover"
    else:
        assert played.outcome.reason in {"finished", "round_limit"}
    assert not strays.live


@pytest.mark.parametrize(("game", "variant"), GAMES)
@pytest.mark.parametrize("name", AT_START)
def test_whatever_goes_wrong_before_ready_is_start_failed(
    match: Match, game: str, variant: str, name: str, tmp_path: Path
) -> None:
    bad = program(AT_START[name], tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")
    limits = SHORT if name == "silent" else LIMITS

    played, _ = match(game, variant, [good, bad], limits)

    check(played, {1}, FaultCode.START_FAILED, game)
    assert (played.faults[0].at, played.actions) == (0, ())


@pytest.mark.parametrize(("game", "variant"), GAMES)
@pytest.mark.parametrize("name", AT_MOVE)
def test_a_fault_at_the_first_move_of_the_second_seat(
    match: Match, game: str, variant: str, name: str, tmp_path: Path
) -> None:
    bad = program(at_move(name, 0), tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")

    played, _ = match(game, variant, [good, bad], limits_for(name))

    check(played, {1}, AT_MOVE[name][1], game)


@pytest.mark.parametrize(("game", "variant"), GAMES)
@pytest.mark.parametrize("name", ["exited", "illegal", "not json", "timeout"])
def test_a_fault_at_a_later_move_of_one_seat_of_three(
    match: Match, game: str, variant: str, name: str, tmp_path: Path
) -> None:
    bad = program(at_move(name, 2), tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")

    played, _ = match(game, variant, [bad, good, good], limits_for(name))

    check(played, {0}, AT_MOVE[name][1], game)
    by_bot = [action for action in played.actions if action.seat == 0 and not action.house]
    assert len(by_bot) == 2
    assert any(action.house for action in played.actions) == (game == "donburiko")


def test_the_others_play_on_when_two_of_four_seats_fail(match: Match, tmp_path: Path) -> None:
    bad = program(at_move("exited", 0), tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")

    played, _ = match("donburiko", "standard", [bad, good, bad, good])

    check(played, {0, 2}, FaultCode.EXITED, "donburiko")
    assert played.outcome.ranks[0] == 4
    assert played.outcome.ranks[2] == 3


@pytest.mark.parametrize(("game", "variant"), GAMES)
@pytest.mark.parametrize("body", ["ready(); sys.exit(5)", "ready(); os.close(0); sys.exit(5)"])
def test_a_bot_that_leaves_before_its_first_question_hurts_only_itself(
    match: Match, game: str, variant: str, body: str, tmp_path: Path
) -> None:
    bad = program(body, tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")

    played, _ = match(game, variant, [good, bad])

    check(played, {1}, FaultCode.EXITED, game)
    assert played.faults[0].text == "exited with status 5"


def test_a_late_answer_is_no_answer_to_anything(match: Match, tmp_path: Path) -> None:
    late = program(
        "ready()\nfor message in acts():\n    time.sleep(0.6)\n    answer(message)",
        tmp_path,
        "late",
    )
    good = program(HONEST, tmp_path, "good")

    played, _ = match("donburiko", "standard", [late, good, good], SHORT_MOVES)

    check(played, {0}, FaultCode.TIMEOUT, "donburiko")
    assert all(action.house for action in played.actions if action.seat == 0)


@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_seats_that_all_fail_at_start_up_share_a_rank(
    match: Match, game: str, variant: str, tmp_path: Path
) -> None:
    bad = program("sys.exit(1)", tmp_path, "bad")

    played, _ = match(game, variant, [bad, bad, bad])

    check(played, {0, 1, 2}, FaultCode.START_FAILED, game)
    assert played.outcome.ranks == (1, 1, 1)


def test_a_match_ends_at_once_when_one_open_seat_is_left(match: Match, tmp_path: Path) -> None:
    bad = program(at_move("exited", 0), tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")

    played, _ = match("donburiko", "standard", [bad, bad, good])

    check(played, {0, 1}, FaultCode.EXITED, "donburiko")
    assert [action.house for action in played.actions] == [True]


@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_the_others_are_told_of_the_fault_and_of_the_end(
    match: Match, game: str, variant: str, tmp_path: Path
) -> None:
    listener = program(
        """
        ready()
        while True:
            message = hear()
            print(json.dumps(message), file=sys.stderr, flush=True)
            if message["type"] == "act":
                answer(message)
            if message["type"] == "quit":
                break
        """,
        tmp_path,
        "listener",
    )
    bad = program(at_move("exited", 0), tmp_path, "bad")

    _, bots = match(game, variant, [bad, listener])

    heard = [json.loads(line) for line in bots[1].stderr.splitlines()]
    assert [message["type"] for message in heard] == ["start", "end", "quit"]
    assert {"type": "fault", "seat": 0} in heard[1]["events"]
    assert heard[1]["ranks"] == [2, 1]


@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_a_bot_at_fault_is_told_why(match: Match, game: str, variant: str, tmp_path: Path) -> None:
    bad = program(
        """
        ready()
        for message in acts():
            say(type="action", id=message["id"], action={"type": "nothing"})
            print(json.dumps(hear()), file=sys.stderr, flush=True)
        """,
        tmp_path,
        "bad",
    )
    good = program(HONEST, tmp_path, "good")

    played, bots = match(game, variant, [bad, good])

    told = json.loads(bots[0].stderr)
    assert (told["type"], told["code"]) == ("error", "illegal_action")
    assert told["message"] == played.faults[0].text


@pytest.mark.parametrize(("game", "variant"), GAMES)
def test_what_is_written_after_the_last_answer_makes_no_difference(
    match: Match, game: str, variant: str, tmp_path: Path
) -> None:
    # Whether it is there by the end of the match is a matter of chance.
    chatty = (
        "ready()\n"
        "for message in acts():\n"
        "    answer(message)\n"
        "    if message['id'] == {id}: raw(b'bye\\n')\n"
    )
    good = program(HONEST, tmp_path, "good")
    quiet, _ = match(game, variant, [good, good])
    last = sum(action.seat == 1 for action in quiet.actions)
    ids = Deal(KEY, game, variant, 2, 0).stream("ids-1")
    number = [ids.seed() for _ in range(last)][-1]

    loud, _ = match(game, variant, [good, program(chatty.format(id=number), tmp_path, "chatty")])

    assert (loud.outcome, loud.faults) == (quiet.outcome, ())


@pytest.mark.parametrize("when", ["", "time.sleep(0.05); "])
def test_a_second_line_is_told_in_the_same_words_whenever_it_is_written(
    match: Match, when: str, tmp_path: Path
) -> None:
    body = f"ready()\nfor message in acts(): answer(message); {when}raw(b'debug\\n')"
    good = program(HONEST, tmp_path, "good")

    played, _ = match("couperation", "standard", [program(body, tmp_path, "bad"), good])

    assert [(fault.code, fault.text) for fault in played.faults] == [
        (FaultCode.BAD_MESSAGE, "not JSON: 'debug'")
    ]


def test_a_bot_cannot_pass_for_one_that_never_started(match: Match, tmp_path: Path) -> None:
    said = "prlimit: failed to execute /bot/x: No such file or directory\\n"
    body = f"ready()\nfor message in acts(): os.write(2, b'{said}'); os._exit(127)"
    good = program(HONEST, tmp_path, "good")

    played, _ = match("couperation", "standard", [program(body, tmp_path, "bad"), good])

    assert [fault.code for fault in played.faults] == [FaultCode.EXITED]


def test_extra_time_is_used_up_across_moves(match: Match, tmp_path: Path) -> None:
    slow = program(
        """
        ready()
        for message in acts():
            print(message["move_ms"], message["extra_ms"], file=sys.stderr, flush=True)
            time.sleep(0.3)
            answer(message)
        """,
        tmp_path,
        "slow",
    )
    good = program(HONEST, tmp_path, "good")
    limits = Limits(move_ms=200, extra_ms=350)

    played, bots = match("donburiko", "standard", [slow, good], limits)

    seen = [tuple(map(int, line.split())) for line in bots[0].stderr.splitlines()]
    assert [move for move, _ in seen] == [200] * len(seen)
    assert seen[0][1] == 350
    # Less what the machine kept it waiting.
    assert all(before - after > 40 for (_, before), (_, after) in pairwise(seen))
    assert played.faults[0].code == FaultCode.TIMEOUT
    assert 2 <= len(seen) <= 4


def test_a_slow_start_is_not_charged_to_the_first_move(match: Match, tmp_path: Path) -> None:
    slow = program("time.sleep(0.8)\n" + HONEST, tmp_path, "slow")

    played, _ = match("couperation", "standard", [slow, slow])

    assert played.faults == ()


def test_what_a_bot_at_fault_wrote_is_kept_escaped(match: Match, tmp_path: Path) -> None:
    bad = program("ready()\nfor message in acts(): raw(b'\\x1b[2J\\xff\\n')", tmp_path, "bad")
    good = program(HONEST, tmp_path, "good")

    played, _ = match("couperation", "standard", [bad, good])

    assert played.offending[0].text == r"\x1b[2J\xff"
    assert "\x1b" not in played.faults[0].text
