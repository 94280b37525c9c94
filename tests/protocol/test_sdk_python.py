import ast
import copy
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from arena.games import get_game
from arena.games.base import Seat
from arena.games.deal import Deal
from arena.players.files import PLAIN, File
from arena.players.provided import provided
from arena.players.scripted import Scripted
from arena.referee.limits import Limits
from arena.referee.play import play
from arena.referee.record import encode_record
from arena_bot import (
    ABSENT,
    Action,
    Bot,
    Fault,
    Match,
    Record,
    Turn,
    answers,
    couperation,
    donburiko,
    replay_record,
)
from bots.random_legal import RandomLegal
from tests.conversation import HELLO, QUIT, ROOT, SDK, Conversation, act, converse, python, start
from tests.protocol_files import line_of, vectors
from tests.records import KEY, played_record, record_of

Script = Callable[[str], list[str]]

README = (SDK / "README.md").read_text(encoding="utf-8")
LEGAL = [{"type": "claim", "column": 0}, {"type": "claim", "column": 2}]
FIVE_LINES = """\
from arena_bot import run

run("first-legal", lambda observation, legal_actions: legal_actions[0])
"""
DICE = """\
from arena_bot import Bot

class Dice(Bot):
    def choose(self, turn):
        return turn.rng.choice(turn.legal_actions)

Dice().run()
"""


@pytest.fixture
def script(tmp_path: Path) -> Script:
    """Return a function that writes a bot and returns its command."""

    def write(text: str) -> list[str]:
        path = tmp_path / "bot.py"
        path.write_text(dedent(text), encoding="utf-8")
        return python(path)

    return write


def chosen(lines: list[bytes]) -> list[Any]:
    return [json.loads(line)["action"] for line in lines if b'"action"' in line]


def test_five_lines_make_a_bot_that_answers_byte_for_byte_like_this(script: Script) -> None:
    heard = converse(script(FIVE_LINES), [HELLO, start(), act(7203681550411, LEGAL), QUIT])

    assert heard.lines == [
        b'{"type":"ready","protocol":1,"name":"first-legal"}',
        b'{"type":"action","id":7203681550411,"action":{"type":"claim","column":0}}',
    ]
    assert (heard.log, heard.status) == ("", 0)


def test_each_answer_is_out_before_the_next_question_comes(script: Script) -> None:
    with Conversation(script(FIVE_LINES)) as bot:
        bot.say(HELLO)
        assert bot.hear() == b'{"type":"ready","protocol":1,"name":"first-legal"}'
        bot.say(start())
        for number in (5, 3, 8):
            bot.say(act(number, LEGAL))
            assert json.loads(bot.hear())["id"] == number
        bot.say(QUIT)
        assert bot.wait() == 0, "quit is enough, though the input is still open"


def test_ready_tells_all_that_run_was_told(script: Script) -> None:
    bot = script("""
        from arena_bot import run
        run("deaf", lambda observation, legal: {"type": "claim", "column": len(legal)},
            version="2.1", games=("donburiko",), legal_actions=False)
        """)
    question = act(1, LEGAL)
    del question["legal_actions"]

    ready, answer = converse(bot, [HELLO, start(), question]).lines

    assert ready == (
        b'{"type":"ready","protocol":1,"name":"deaf","version":"2.1","games":["donburiko"],'
        b'"legal_actions":false}'
    )
    assert answer == b'{"type":"action","id":1,"action":{"type":"claim","column":0}}'


def test_a_bot_without_a_name_goes_by_its_class(script: Script) -> None:
    assert converse(script(DICE), [HELLO]).lines == [b'{"type":"ready","protocol":1,"name":"Dice"}']


def test_whatever_the_bot_prints_goes_to_its_log(script: Script) -> None:
    bot = script("""
        import os, sys
        from arena_bot import run

        def choose(observation, legal_actions):
            print("thinking")
            sys.__stdout__.write("the old stdout\\n")
            os.write(1, b"descriptor 1\\n")
            os.system("echo a child")
            return legal_actions[0]

        print("before run")
        run("chatty", choose)
        """)

    heard = converse(bot, [HELLO, start(), act(1, LEGAL), QUIT])

    assert chosen(heard.lines) == LEGAL[:1]
    assert len(heard.lines) == 2
    said = ["a child", "before run", "descriptor 1", "the old stdout", "thinking"]
    assert sorted(heard.log.splitlines()) == said


def test_what_was_printed_last_is_in_the_log_of_a_bot_that_is_killed(script: Script) -> None:
    bot = script("""
        import os
        from arena_bot import run

        def choose(observation, legal_actions):
            print("one more move")
            os.kill(os.getpid(), 9)

        run("doomed", choose)
        """)

    heard = converse(bot, [HELLO, start(), act(1, LEGAL)])

    assert (heard.log, heard.status) == ("one more move\n", -9)


def test_a_child_of_the_bot_cannot_swallow_the_next_question(script: Script) -> None:
    bot = script("""
        import os
        from arena_bot import run

        def choose(observation, legal_actions):
            os.system("cat")
            return legal_actions[0]

        run("parent", choose)
        """)

    heard = converse(bot, [HELLO, start(), act(1, LEGAL), act(2, LEGAL)])

    assert (len(heard.lines), heard.log) == (3, "")


def test_a_crash_is_a_traceback_in_the_log_and_status_1(script: Script) -> None:
    bot = script("from arena_bot import run\nrun('crash', lambda table, legal: legal[99])\n")

    heard = converse(bot, [HELLO, start(), act(1, LEGAL), act(2, LEGAL), QUIT])

    assert (len(heard.lines), heard.status) == (1, 1)
    assert heard.log.startswith("Traceback (most recent call last):\n")
    assert heard.log.endswith("IndexError: list index out of range\n")


def test_a_traceback_has_the_frames_of_the_bot_alone(script: Script) -> None:
    bot = script("""
        from arena_bot import Bot

        class Crash(Bot):
            def choose(self, turn):
                try:
                    {}["none"]
                except KeyError as error:
                    raise ValueError("twice") from error

        Crash().run()
        """)

    log = converse(bot, [HELLO, start(), act(1, LEGAL)]).log

    assert "arena_bot.py" not in log
    frames = [line.rpartition(" in ")[2] for line in log.splitlines() if "bot.py" in line]
    assert frames == ["choose", "<module>", "choose"]
    assert log.endswith("ValueError: twice\n")


def test_the_name_of_one_game_is_no_list_of_games(script: Script) -> None:
    bot = script("from arena_bot import run\nrun('odd', print, games='donburiko')\n")

    heard = converse(bot, [HELLO])

    assert (heard.lines, heard.status) == ([], 1)
    assert heard.log.endswith("TypeError: games is a list of names: games=['donburiko']\n")


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        ("None", "TypeError: choose returned None, not an action"),
        ("0", "TypeError: choose returned 0, not an action"),
        ("{'column': float('nan')}", "ValueError: Out of range float values"),
    ],
)
def test_what_cannot_be_an_action_is_not_sent(answer: str, complaint: str, script: Script) -> None:
    bot = script(f"from arena_bot import run\nrun('odd', lambda table, legal: {answer})\n")

    heard = converse(bot, [HELLO, start(), act(1, LEGAL)])

    assert (len(heard.lines), heard.status) == (1, 1)
    assert complaint in heard.log


@pytest.mark.parametrize("rest", [b"", b'{"type":"act","id":2,"observ', b"\n", b"\r\n"])
def test_the_end_of_the_input_ends_the_bot_in_good_order(rest: bytes, script: Script) -> None:
    heard = converse(script(FIVE_LINES), [HELLO, start(), act(1, LEGAL), rest])

    assert (len(heard.lines), heard.log, heard.status) == (2, "", 0)


def test_types_and_fields_that_are_not_known_are_passed_over(script: Script) -> None:
    later = {"type": "pause", "ms": 100}
    events = [{"type": "eclipse", "moon": 3}]
    question = act(1, LEGAL, events=events, hint=[{"type": "claim"}])

    begin = {**start(), "mood": "good"}
    heard = converse(script(FIVE_LINES), [HELLO, later, begin, later, question, later, QUIT])

    assert (chosen(heard.lines), heard.log, heard.status) == (LEGAL[:1], "", 0)


def test_every_published_line_of_the_referee_is_understood(script: Script) -> None:
    published = [vector for vector in vectors("to_bot") if vector["message"] != {"type": "quit"}]
    lines = [line_of(vector) + b"\n" for vector in published]
    messages = [vector["message"] or {"type": "unknown"} for vector in published]
    asked = [message["id"] for message in messages if message["type"] == "act"]
    bot = script("""
        from arena_bot import run
        run("any", lambda table, legal: legal[0] if legal else {"seat": table["seat"]})
        """)

    heard = converse(bot, [start(), *lines, QUIT])

    answers = [json.loads(line) for line in heard.lines]
    assert [answer["id"] for answer in answers if answer["type"] == "action"] == asked
    assert heard.status == 0


def test_a_line_of_400_kib_is_read_whole_however_it_arrives(script: Script) -> None:
    legal = [{"type": "discard", "card": card} for card in range(16_000)]
    question = act(1, legal)
    assert len(json.dumps(question, separators=(",", ":"))) > 400 * 1024
    bot = script("from arena_bot import run\nrun('last', lambda table, legal: legal[-1])\n")

    with Conversation(bot) as conversation:
        conversation.say(start())
        conversation.say(question)  # in pieces of 4 KiB
        assert chosen([conversation.hear()]) == legal[-1:]


def test_the_dice_repeat_by_seed_and_begin_anew_with_each_match(script: Script) -> None:
    legal = [{"card": card} for card in range(1000)]

    def match(seed: int) -> list[Any]:
        return [start(seed=seed), *(act(number, legal) for number in range(8))]

    lines = match(7) + match(8) + match(7) + match(2**53 - 1)
    actions = chosen(converse(script(DICE), lines).lines)

    seven, eight, again, great = (actions[at : at + 8] for at in range(0, 32, 8))
    assert seven == again
    assert len({json.dumps(row) for row in (seven, eight, great)}) == 3


def test_a_bot_is_told_of_start_turn_and_end(script: Script) -> None:
    bot = script("""
        from arena_bot import Bot

        class Witness(Bot):
            def start(self, match):
                print(match.game, match.variant, match.players, match.seat, match.seed,
                      match.move_ms, match.extra_ms)

            def choose(self, turn):
                print(turn.game, turn.variant, turn.players, turn.seat, turn.move_ms,
                      turn.extra_ms, turn.observation, turn.events, len(turn.legal_actions),
                      0 <= turn.elapsed_ms() < 20_000)
                return turn.legal_actions[0]

            def end(self, result):
                print(result.events, result.scores, result.ranks, result.reason,
                      result.match.seat)

        Witness().run()
        """)
    question = act(1, LEGAL, observation={"bank": 3}, events=[{"type": "round"}], extra_ms=40)
    end = {"type": "end", "events": [], "scores": [4, 2], "ranks": [1, 2], "reason": "finished"}

    heard = converse(bot, [HELLO, start(seed=9), question, end, QUIT])

    assert heard.log.splitlines() == [
        "donburiko standard 2 0 9 1000 0",
        "donburiko standard 2 0 1000 40 {'bank': 3} [{'type': 'round'}] 2 True",
        "[] [4, 2] [1, 2] finished 0",
    ]


def test_a_bot_knows_its_limits_before_a_match_starts(script: Script) -> None:
    bot = script("""
        from arena_bot import Bot

        class Frugal(Bot):
            def start(self, match):
                print(self.limits and self.limits["memory_mb"])

        Frugal().run()
        """)
    off = {"type": "hello", "protocol": 1, "arena": "0.1.0", "limits": None}
    older = {"type": "hello", "protocol": 1, "arena": "0.0.9"}

    logs = [converse(bot, [hello, start(), QUIT]).log for hello in (HELLO, off, older)]

    assert logs == ["512\n", "None\n", "None\n"]


def test_an_error_is_logged_and_the_bot_goes_on_to_read(script: Script) -> None:
    error = {"type": "error", "code": "illegal_action", "message": "R12: a single card"}

    heard = converse(script(FIVE_LINES), [HELLO, start(), error, act(1, LEGAL), QUIT])

    assert heard.log == "arena: illegal_action: R12: a single card\n"
    assert (len(heard.lines), heard.status) == (2, 0)


def test_importing_the_sdk_loads_nothing_that_is_slow_to_load() -> None:
    look = (
        f"import sys; sys.path.insert(0, {str(SDK)!r}); import arena_bot;"
        "print({'typing', 'random', 'dataclasses', 'inspect', 'asyncio'} & set(sys.modules))"
    )
    shown = subprocess.check_output([sys.executable, "-I", "-S", "-c", look], text=True)

    assert shown == "set()\n"


def test_the_sdk_is_written_for_python_3_9() -> None:
    source = (SDK / "arena_bot.py").read_text(encoding="utf-8")

    ast.parse(source, feature_version=(3, 9))
    assert "from __future__ import annotations" in source


def test_the_readme_shows_what_happens_by_hand() -> None:
    (block,) = (it.split("```")[0] for it in README.split("```console\n") if "<<'END'" in it)
    typed, shown = block.split("<<'END'\n")[1].split("END\n")

    heard = converse(python(ROOT / "bots" / "first_legal.py"), typed.splitlines())

    assert b"\n".join(heard.lines).decode() + "\n" == shown


BLOCKS = [block.split("```", maxsplit=1)[0] for block in README.split("```python\n")[1:]]
*BOTS, TRIAL = BLOCKS


@pytest.mark.parametrize("block", BOTS, ids=["run", "Bot", "typed"])
def test_the_bots_of_the_readme_play(block: str, script: Script) -> None:
    end = {"type": "end", "events": [], "scores": [4, 2], "ranks": [1, 2], "reason": "finished"}

    heard = converse(script(block), [HELLO, start(), act(1, LEGAL, observation=table()), end, QUIT])

    assert (len(heard.lines), heard.status) == (2, 0)
    assert heard.log in {"", "0 claims, rank 1\n"}


def table() -> dict[str, Any]:
    """Return a table of Donburiko from the published lines."""
    messages = [vector["message"] or {} for vector in vectors("to_bot")]
    tables: list[dict[str, Any]] = [message.get("observation", {}) for message in messages]
    return next(it for it in tables if len(it.get("columns", ())) > 2)


# Typed values


def test_typed_values_compare_by_value_and_say_what_they_hold() -> None:
    play = donburiko.Play("3", column=0, up=True)

    assert play == donburiko.Play.of({"type": "play", "card": "3", "column": 0, "up": True})
    assert play.plain() == {"type": "play", "card": "3", "column": 0, "up": True}
    assert list(play.plain()) == ["type", "card", "column", "up"]
    assert repr(play) == "Play(card='3', column=0, up=True)"
    assert {play: 1}[copy.deepcopy(play)] == 1
    assert couperation.Discard(4) != couperation.Draw(4)


def test_typed_values_cannot_be_changed_or_be_made_by_halves() -> None:
    play = donburiko.Play("3", column=0, up=True)

    with pytest.raises(AttributeError, match=r"Play\.card cannot be changed"):
        play.card = "4"  # type: ignore[misc]
    with pytest.raises(TypeError, match="Play needs the field up"):
        donburiko.Play("3", 0)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Claim has the fields column"):
        donburiko.Claim(1, column=2)  # type: ignore[misc]
    with pytest.raises(TypeError, match="Claim needs the field column"):
        donburiko.Claim.of({"type": "claim"})


def test_what_was_left_out_is_not_what_is_unknown() -> None:
    onto = {
        "type": "reserve",
        "seat": 0,
        "pair": [3, 6],
        "extra": [],
        "take": 3,
        "row": 0,
        "slot": 1,
    }

    events = couperation.events([onto, onto | {"replaced": None}, onto | {"replaced": "finish"}])

    found = [event.replaced for event in events if isinstance(event, couperation.ReserveEvent)]
    assert found == [ABSENT, None, "finish"]
    assert [event.plain() for event in events[:1]] == [onto]


def test_events_of_a_later_version_are_left_out_of_typed_ones() -> None:
    events = donburiko.events(
        [{"type": "eclipse", "moon": 3}, {"type": "fault", "seat": 1, "x": 1}]
    )

    assert events == [Fault(seat=1)]


# Trying a bot out


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("game", ["donburiko", "couperation"])
def test_a_bot_repeats_its_own_match(game: str, players: int) -> None:
    record = played_by(RandomLegal, game, players)

    for seat in range(players):
        pairs = replay_record(RandomLegal(), record, seat, key=KEY.hex())
        assert len(pairs) > 1
        assert all(before == now for before, now in pairs)
    assert any(before != now for before, now in replay_record(RandomLegal(), record, 0))


def played_by(bot: Callable[[], Bot], game: str, players: int) -> str:
    """Return the record of a match that is played in process by bots of one kind."""

    def seat(number: int) -> Scripted:
        its, deal_seed = bot(), Deal(KEY, game, "standard", players, 0).bot_seed(Seat(number))
        match = Match(start(game, deal_seed, players) | {"seat": number})
        return Scripted(lambda message: plain(its.choose(Turn(message, match, 0.0))))

    deal = Deal(KEY, game, "standard", players, 0)
    played = play(get_game(game), deal, [seat(number) for number in range(players)], Limits())
    return encode_record(record_of(played, deal)).decode()


def plain(action: Action | Record) -> Action:
    return action.plain() if isinstance(action, Record) else action


def test_a_function_is_asked_what_the_seat_was_asked() -> None:
    record = encode_record(played_record("donburiko", "standard", 3, 1, {1: 3}))

    pairs = replay_record(lambda _, legal: legal[0], record, seat=1)

    assert [len(pair) for pair in pairs] == [2, 2, 2], "at its fourth question it exited"
    assert all(now["type"] in {"play", "claim"} for _, now in pairs)


def test_what_a_bot_raises_in_a_trial_is_raised(script: Script) -> None:
    with pytest.raises(IndexError):
        answers(lambda _, legal: legal[9], [json.dumps(start()), json.dumps(act(1, LEGAL))])


def test_a_bot_without_legal_actions_is_tried_without_them() -> None:
    class Deaf(Bot):
        legal_actions = False

        def choose(self, turn: Turn) -> Action:
            assert turn.legal_actions == []
            return {"type": "claim", "column": 0}

    record = encode_record(played_record("donburiko", "standard", 2, 1, {}))

    assert {now["type"] for _, now in replay_record(Deaf(), record, 0)} == {"claim"}


def test_a_bot_that_brings_the_sdk_is_given_nothing_beside_it() -> None:
    sdk = File("arena_bot.py", PLAIN, (SDK / "arena_bot.py").read_bytes())
    files = {"bot.py": File("bot.py", PLAIN, FIVE_LINES.encode()), "arena_bot.py": sdk}

    assert provided(("python", "bot.py"), files) == []


def test_the_trial_of_the_readme_shows_what_is_new(tmp_path: Path) -> None:
    record = encode_record(played_record("donburiko", "standard", 2, 1, {}))
    (tmp_path / "match.json").write_bytes(record)
    (tmp_path / "mybot.py").write_text("choose = lambda table, legal: legal[-1]", "utf-8")
    (tmp_path / "trial.py").write_text(TRIAL, "utf-8")

    shown = subprocess.check_output(
        [sys.executable, "trial.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{ROOT}:{SDK}"},
        text=True,
    )

    assert "was done, {'type': 'claim', " in shown
