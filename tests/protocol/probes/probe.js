// A bot that does one of the things that the tests of all SDKs look at: `probe.js MODE [FILE]`.
"use strict";

const fs = require("node:fs");
const { Bot, Rng, answers, run } = require("../../../protocol/sdk/javascript/arena_bot.cjs");

function say(fields) {
  console.error(JSON.stringify(fields));
}

class Echo extends Bot {
  start({ game, variant, players, seat, seed, move_ms, extra_ms }) {
    const memory_mb = this.limits && this.limits.memory_mb;
    say({ type: "start", game, variant, players, seat, seed, move_ms, extra_ms, memory_mb });
  }

  async choose(turn) {
    const { observation, events, legal_actions, move_ms, extra_ms } = turn;
    const elapsed = turn.elapsed_ms();
    const fine = turn.seat === turn.match.seat && 0 <= elapsed && elapsed < 20000;
    say({ type: "act", observation, events, legal_actions, move_ms, extra_ms, fine });
    return legal_actions.length ? legal_actions[legal_actions.length - 1] : { seat: observation.seat };
  }

  end({ events, scores, ranks, reason }) {
    say({ type: "end", events, scores, ranks, reason });
  }
}

class Dice extends Bot {
  choose(turn) {
    return turn.rng.choice(turn.legal_actions);
  }
}

const MODES = {
  echo: () => new Echo().run(),
  dice: () => new Dice().run(),
  first: () => run("first-legal", (_, legal) => legal[0], { version: "2.1", games: ["donburiko"] }),
  deaf: () => run("deaf", (_, legal) => ({ column: legal.length }), { legal_actions: false }),
  throw: () =>
    run("thrower", () => {
      throw new RangeError("lost my way");
    }),
  nothing: () => run("nothing", () => null),
  long: () => run("long", () => ({ type: "x".repeat(70000) })),
  nan: () => run("nan", () => ({ column: NaN })),
  stray: () =>
    run("stray", (_, legal) => {
      console.log("thinking");
      return legal[0];
    }),
  rng: (seed) => {
    const rng = new Rng(Number(seed));
    const words = [rng.word(), rng.word(), rng.word(), rng.word()];
    const below = [6, 2 ** 31 + 1, 1, 2 ** 32].map((bound) => rng.below(bound));
    const random = rng.random();
    const items = [..."abcdefgh"];
    const choice = rng.choice(items);
    rng.shuffle(items);
    console.log(JSON.stringify([words, below, random, choice, items]));
  },
  answers: async (file) => {
    const lines = fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
    for (const action of await answers((_, legal) => legal[legal.length - 1], lines)) {
      console.log(JSON.stringify(action));
    }
  },
};

MODES[process.argv[2]](process.argv[3]);
