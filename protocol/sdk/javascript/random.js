// Takes any legal action, with dice seeded by the match: the least that a bot should beat.
"use strict";

const { Bot } = require("./arena_bot.cjs");

class RandomLegal extends Bot {
  name = "random";
  version = "1.0";

  choose(turn) {
    return turn.rng.choice(turn.legal_actions);
  }
}

new RandomLegal().run();
