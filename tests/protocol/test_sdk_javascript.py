import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conversation import HELLO, QUIT, ROOT, act, converse, start
from tests.protocol.conftest import needs_node

SDK = ROOT / "protocol" / "sdk" / "javascript"
LEGAL = [{"type": "claim", "column": 0}, {"type": "claim", "column": 2}]
END = {"type": "end", "events": [], "scores": [4, 2], "ranks": [1, 2], "reason": "finished"}
README = (SDK / "README.md").read_text("utf-8")
NODE = shutil.which("node")
TSC = shutil.which("tsc")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def vendored(folder: Path, name: str, text: str) -> list[str]:
    """Write a bot with the SDK beside it, as its page says; return its command."""
    shutil.copy(SDK / "arena_bot.cjs", folder)
    (folder / name).write_text(text, "utf-8")
    return ["node", str(folder / name)]


@needs_node
@pytest.mark.parametrize("block", blocks("js"))
def test_the_bots_of_the_readme_play(block: str, tmp_path: Path) -> None:
    bot = vendored(tmp_path, "bot.mjs" if "import " in block else "bot.js", block)

    heard = converse(bot, [HELLO, start(), act(1, LEGAL), END, QUIT])

    assert (len(heard.lines), heard.status) == (2, 0)
    assert heard.log in {"", "0 claims, rank 1\n"}


@needs_node
def test_node_finds_the_package_by_its_name_either_way(tmp_path: Path) -> None:
    package = tmp_path / "node_modules" / "arena-bot"
    package.mkdir(parents=True)
    names = json.loads((SDK / "package.json").read_text("utf-8"))["files"]
    for name in [*names, "package.json"]:
        shutil.copy(SDK / name, package)
    (tmp_path / "a.mjs").write_text('import { run } from "arena-bot"; console.log(typeof run);')
    (tmp_path / "b.cjs").write_text('console.log(typeof require("arena-bot").run);')

    shown = [
        subprocess.check_output([str(NODE), name], cwd=tmp_path, text=True, timeout=20)
        for name in ("a.mjs", "b.cjs")
    ]

    assert shown == ["function\n"] * 2


@needs_node
def test_a_bot_may_think_in_promises_and_throw_what_it_likes(tmp_path: Path) -> None:
    text = """
        const { run } = require("./arena_bot.cjs");
        run("slow", async (observation, legal_actions) => {
          await new Promise((later) => setTimeout(later, 1));
          if (legal_actions.length === 1) throw "a text";
          return legal_actions[1];
        });
        setInterval(() => {}, 1000);
        """
    bot = vendored(tmp_path, "bot.js", text)

    heard = converse(bot, [HELLO, start(), act(1, LEGAL), act(2, LEGAL[:1]), QUIT])

    assert (len(heard.lines), heard.log, heard.status) == (2, "thrown: a text\n", 1)


def test_the_package_needs_no_other() -> None:
    package = json.loads((SDK / "package.json").read_text("utf-8"))
    required = re.findall(r"require\((.*?)\)|\bfrom \"", (SDK / "arena_bot.cjs").read_text("utf-8"))

    assert not package.keys() & {"dependencies", "peerDependencies", "scripts"}
    assert all((SDK / name).is_file() for name in package["files"])
    assert [it for it in required if it and it != '"./arena_bot.cjs"'] == []


TYPED = """
import { answers, run, Bot, type Turn } from "./arena_bot.cjs";

const claims: number[] = [];
run("typed", (table, legal) => {
  table.columns.map((column) => column && column.cards.map((card) => card.face));
  return legal[0]!;
}, { games: ["donburiko"] });
class Both extends Bot {
  override choose(turn: Turn) {
    if (turn.game === "donburiko") {
      for (const event of turn.events) if (event.type === "claim") claims.push(event.paid);
      return turn.rng.choice(turn.legal_actions);
    }
    for (const it of turn.legal_actions) if (it.type === "reserve") claims.push(it.pair[1]);
    return turn.legal_actions[0]!;
  }
}
answers(new Both(), []);
// @ts-expect-error a card is a text
run("wrong", () => ({ type: "play", card: 3, column: 0, up: true }), { games: ["donburiko"] });
// @ts-expect-error there is no such game
run("wrong", (_, legal) => legal[0]!, { games: ["chess"] });
"""


@pytest.mark.skipif(TSC is None, reason="tsc is not installed")
@pytest.mark.slow
def test_typescript_tells_right_from_wrong(tmp_path: Path) -> None:
    shutil.copy(SDK / "arena_bot.d.cts", tmp_path)
    sources = [TYPED, *blocks("ts")]
    for number, text in enumerate(sources):
        (tmp_path / f"bot{number}.mts").write_text(text, "utf-8")
    options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022"]
    options += ["--noUncheckedIndexedAccess", "--skipLibCheck", "false", "--lib", "es2022"]

    done = subprocess.run(
        [str(TSC), *options, *(f"bot{number}.mts" for number in range(len(sources)))],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        timeout=100,
        check=False,
    )

    assert done.stdout == ""
