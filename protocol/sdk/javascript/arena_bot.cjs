// Everything that a bot for arena needs, in one file: Node 18 or later, without any package.
//
// A whole bot:
//
//     const { run } = require("./arena_bot.cjs");
//
//     run("first-legal", (observation, legal_actions) => legal_actions[0]);
//
// In an ES module the first line is `import { run } from "./arena_bot.cjs";`. A bot that wants
// dice, a clock, the events or a memory derives from `Bot` instead. Names are those of the
// protocol, so that messages, this library and those for other languages read alike. The types
// are in arena_bot.d.cts.
//
// Standard output belongs to the protocol: while a bot runs, `console.log` goes to standard error,
// which arena keeps as the bot's log.
"use strict";

const PROTOCOL = 1;

// The longest line that a bot may write, without its LF.
const MAX_LINE_BYTES = 65536;

// Dice that repeat: xoshiro128** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number
// Generators", 2018), its state drawn by SplitMix64 from a seed below 2^53. The C++ library has
// the same.
class Rng {
  #state;

  constructor(seed) {
    this.#state = new Uint32Array(4);
    let counter = BigInt(seed);
    for (const half of [0, 2]) {
      counter = BigInt.asUintN(64, counter + 0x9e3779b97f4a7c15n);
      let word = BigInt.asUintN(64, (counter ^ (counter >> 30n)) * 0xbf58476d1ce4e5b9n);
      word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
      word ^= word >> 31n;
      this.#state[half] = Number(word & 0xffffffffn);
      this.#state[half + 1] = Number(word >> 32n);
    }
  }

  // A whole number from 0 to 2^32 - 1.
  word() {
    const state = this.#state;
    const result = Math.imul(rotated(Math.imul(state[1], 5), 7), 9) >>> 0;
    const shifted = state[1] << 9;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotated(state[3], 11);
    return result;
  }

  // A whole number from 0 to bound - 1, each as likely as the others; bound is 1 to 2^32.
  below(bound) {
    if (!Number.isInteger(bound) || bound < 1 || bound > 2 ** 32) {
      throw new RangeError(`no number is below ${bound}`);
    }
    const limit = 2 ** 32 - (2 ** 32 % bound);
    let word = this.word();
    while (word >= limit) word = this.word();
    return word % bound;
  }

  // A number from 0 to 1, 1 left out, with 53 random bits.
  random() {
    const high = this.word() >>> 5;
    return (high * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53;
  }

  // Any item of a list.
  choice(items) {
    return items[this.below(items.length)];
  }

  // Brings a list into any order, in place.
  shuffle(items) {
    for (let last = items.length - 1; last > 0; last--) {
      const pick = this.below(last + 1);
      [items[last], items[pick]] = [items[pick], items[last]];
    }
  }
}

function rotated(word, by) {
  return (word << by) | (word >>> (32 - by));
}

// What a bot is told of the match that begins. It names no rival, deal or match.
class Match {
  #rng;

  constructor(message) {
    this.game = message.game;
    this.variant = message.variant;
    this.players = message.players;
    this.seat = message.seat; // the bot's own, from 0
    this.seed = message.seed;
    this.move_ms = message.move_ms ?? 0;
    this.extra_ms = message.extra_ms ?? 0;
  }

  // The bot's dice for this match, seeded by it so that it can be repeated.
  get rng() {
    this.#rng ??= new Rng(this.seed);
    return this.#rng;
  }
}

// One decision: what the seat knows and what it may do.
class Turn {
  #asked;

  constructor(message, match, asked) {
    this.observation = message.observation; // the table as it is now, complete
    this.events = message.events ?? []; // since this bot was last asked, oldest first
    this.legal_actions = message.legal_actions ?? []; // empty for a bot that did not want them
    this.move_ms = message.move_ms ?? match.move_ms;
    this.extra_ms = message.extra_ms ?? 0;
    this.match = match;
    this.#asked = asked;
  }

  get game() {
    return this.match.game;
  }

  get variant() {
    return this.match.variant;
  }

  get players() {
    return this.match.players;
  }

  get seat() {
    return this.match.seat;
  }

  get rng() {
    return this.match.rng;
  }

  // How long ago the question was read, in milliseconds.
  elapsed_ms() {
    return performance.now() - this.#asked;
  }
}

// How the match ended.
class Result {
  constructor(message, match) {
    this.events = message.events ?? [];
    this.scores = message.scores ?? [];
    this.ranks = message.ranks ?? [];
    this.reason = message.reason ?? "";
    this.match = match;
  }
}

// Base of bots that are more than one function: override `choose`, then call `run`.
//
// An instance serves one seat. It may be asked to play several matches, one after the other, so
// whatever it remembers of a match belongs into `start`. All three methods may be asynchronous.
class Bot {
  name = ""; // shown in logs alone; a bot without one goes by the name of its class
  version = "";
  games = null; // names of the games that the bot plays; null for all
  legal_actions = true; // whether they are wanted; without them the lines are much shorter
  limits = null; // what the bot is held to, by name, once `start` is called; null: limits are off

  // Prepares for a match; the time that it takes counts towards the first decision.
  start(_match) {}

  // Returns one of the legal actions of the turn.
  choose(_turn) {
    throw new Error(`${this.constructor.name} has no choose`);
  }

  // Takes note of how the match ended.
  end(_result) {}

  // Plays over standard input and output until told to quit, or until the input ends.
  //
  // Whatever the bot throws is printed to standard error, and ends the process with status 1.
  async run() {
    const send = takeOverOutput();
    try {
      await converse(this, linesOf(process.stdin), send);
    } catch (error) {
      // An exit does not wait for what is still to be written.
      const shown = error instanceof Error ? error.stack : `thrown: ${String(error)}`;
      await new Promise((written) => process.stderr.write(`${shown}\n`, written));
      process.exit(1);
    }
  }
}

// Plays with choose(observation, legal_actions) until told to quit, or until the input ends.
function run(name, choose, options = {}) {
  return named(name, choose, options).run();
}

// Returns, as a promise, the actions that a bot takes when it is sent lines, all in this process.
//
// `bot` is a Bot, or the function that `run` would be given; `lines` are what the referee writes,
// from `hello` or `start` on. Whatever the bot throws is thrown.
async function answers(bot, lines) {
  const actions = [];
  await converse(bot instanceof Bot ? bot : named("", bot, {}), lines, (message) => {
    if (message.type === "action") actions.push(JSON.parse(encoded(message)).action);
  });
  return actions;
}

function named(name, choose, { version = "", games = null, legal_actions = true }) {
  const bot = new Bot();
  bot.choose = (turn) => choose(turn.observation, turn.legal_actions);
  return Object.assign(bot, { name, version, games, legal_actions });
}

// Answers lines for a bot; types and fields that are not known here are passed over.
async function converse(bot, lines, send) {
  let match = null;
  for await (const line of lines) {
    const asked = performance.now();
    const message = JSON.parse(line);
    if (message.type === "act" && match) {
      const action = await bot.choose(new Turn(message, match, asked));
      if (typeof action !== "object" || action === null || Array.isArray(action)) {
        throw new TypeError(`choose returned ${JSON.stringify(action)}, not an action`);
      }
      await send({ type: "action", id: message.id, action });
    } else if (message.type === "hello") {
      bot.limits = message.limits ?? null;
      await send(ready(bot));
    } else if (message.type === "start") {
      match = new Match(message);
      await bot.start(match);
    } else if (message.type === "end" && match) {
      await bot.end(new Result(message, match));
    } else if (message.type === "error") {
      // The seat is closed by now; the log is where the author will look.
      console.error(`arena: ${message.code}: ${message.message}`);
    } else if (message.type === "quit") {
      return;
    }
  }
}

function ready(bot) {
  const message = { type: "ready", protocol: PROTOCOL, name: bot.name || bot.constructor.name };
  if (bot.version) message.version = bot.version;
  if (bot.games !== null) message.games = [...bot.games];
  if (!bot.legal_actions) message.legal_actions = false;
  return message;
}

function encoded(message) {
  const line = JSON.stringify(message, (_, value) => {
    // JSON.stringify would write null.
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new RangeError(`${value} is no number of JSON`);
    }
    return value;
  });
  const bytes = Buffer.byteLength(line);
  if (bytes > MAX_LINE_BYTES) {
    throw new RangeError(`a line of ${bytes} bytes, and ${MAX_LINE_BYTES} is the most`);
  }
  return line;
}

// Yields whole lines, however long, and reads no further while one is being answered; half a line
// before the end of the input is none.
async function* linesOf(stream) {
  let parts = [];
  stream.setEncoding("utf8"); // also joins characters that a chunk has cut in two
  for await (const chunk of stream) {
    const lines = chunk.split("\n");
    parts.push(lines.shift());
    for (const next of lines) {
      const line = parts.join("");
      parts = [next];
      if (line.trim()) yield line;
    }
  }
}

// From here on whatever is written to `process.stdout` goes to standard error, so that a stray
// `console.log` becomes a line of the log instead of a fault. Returns what sends a message, and
// resolves when it is out.
function takeOverOutput() {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (message) =>
    new Promise((sent, failed) => {
      write(`${encoded(message)}\n`, (error) => (error ? failed(error) : sent()));
    });
}

module.exports = { Bot, Match, Result, Rng, Turn, answers, run };
