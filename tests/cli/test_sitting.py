import io
import sys

import pytest

from arena.cli.prompt import Prompt
from arena.cli.sitting import Sitting
from arena.games import get_game
from arena.games.base import AnyGame
from arena.players.person import Turn
from arena.wire.escape import printable
from tests.tuck_game import TUCK

PLAYS = (b'{"type":"play","card":3,"up":true}', b'{"type":"play","card":3,"up":false}')
TURN = Turn(b'{"seat":0,"hand":[3]}', (), PLAYS)


def sitting(game: AnyGame, *names: str, seat: int = 0, err: bool = False) -> Sitting:
    return Sitting(game, names, seat, Prompt(err=err), err=err)


def test_who_sits_where_is_said_first(capsys: pytest.CaptureFixture[str]) -> None:
    sitting(get_game("donburiko"), "greedy", "you", "gre\x1bedy", seat=1).welcome()

    first, legend = capsys.readouterr().out.splitlines()
    assert first == "donburiko: you are seat 1, with seat 0 (greedy), seat 2 (gre\\x1bedy)"
    assert legend == get_game("donburiko").legend


def test_of_a_game_without_words_the_json_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"2\n")))
    table = sitting(TUCK, "you", "other")

    table.welcome()
    chosen = table.choose(TURN)

    out = capsys.readouterr().out
    assert chosen == 1
    assert out.startswith('tuck: you are seat 0, with seat 1 (other)\n\n{\n  "seat": 0,')
    assert '1  {"type":"play","card":3,"up":true}' in out


def test_what_happened_in_such_a_game_is_json_but_for_faults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    events = [b'{"type":"played","seat":1,"card":null}', b'{"type":"fault","seat":1}']

    sitting(TUCK, "you", "other").tell(events)

    assert capsys.readouterr().out.splitlines() == [
        "",
        '+ {"type":"played","seat":1,"card":null}',
        "+ seat 1 (other) is out of the match",
    ]


def test_where_nothing_happened_nothing_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    sitting(TUCK, "you", "other").tell([])

    assert capsys.readouterr().out == ""


def test_all_can_be_said_on_standard_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\x1b[2J\nq\n")))

    chosen = sitting(TUCK, "you", "other", err=True).choose(TURN)

    said = capsys.readouterr()
    assert (chosen, said.out) == (None, "")
    assert "no action is 'x\\x1b[2J': type a number from 1 to 2" in said.err
    assert printable(said.err, lines=True) == said.err
