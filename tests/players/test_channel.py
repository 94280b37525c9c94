"""The pipes of a bot; how it uses them is in `tests.players.test_process`."""

import os
import time
from collections.abc import Iterator

import pytest

from arena.errors import BotFault
from arena.players.channel import LineChannel


@pytest.fixture
def silent() -> Iterator[LineChannel]:
    """Yield the channel of a bot that reads and writes nothing."""
    pipes = [os.pipe() for _ in range(4)]
    (_, to_bot), (from_bot, _), (log, _), (gone, _) = pipes
    channel = LineChannel(to_bot, from_bot, log, gone)
    yield channel
    channel.close()
    for descriptor in (pipes[0][0], pipes[1][1], pipes[2][1], *pipes[3]):
        os.close(descriptor)


@pytest.mark.parametrize("budget_ms", [20, 40])
def test_a_bot_is_looked_after_also_when_it_has_little_time(
    silent: LineChannel, budget_ms: int
) -> None:
    looks: list[float] = []
    silent.attend(lambda: None, lambda: looks.append(time.monotonic()), lambda *_: 0.0)

    began = time.monotonic()
    with pytest.raises(BotFault, match="wrote nothing"):
        silent.ask(b"{}\n", budget_ms)

    quarter_s = budget_ms / 4000
    assert any(look >= began + quarter_s for look in looks)
