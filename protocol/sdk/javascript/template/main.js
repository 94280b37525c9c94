// mybot: a first bot for both games. Everything here may be changed.
//
// A turn also has `events` (what happened since the last question), `seat`, `players`, `variant`,
// `move_ms`, `elapsed_ms()` and `rng`: dice that repeat when a match is repeated. `console.log`
// writes to the bot's log. All of it is explained in arena_bot.cjs; arena_bot.d.cts has the types.
// @ts-check
"use strict";

const { Bot } = require("./arena_bot.cjs");

/** @typedef {import("./arena_bot.cjs").donburiko.Observation} Pond */
/** @typedef {import("./arena_bot.cjs").donburiko.Action} PondAction */
/** @typedef {import("./arena_bot.cjs").couperation.Action} TowerAction */
/** @typedef {import("./arena_bot.cjs").couperation.Card} Card */

// Takes the action that the functions below value most.
class MyBot extends Bot {
  name = "mybot";
  version = "0.1";
  games = ["donburiko", "couperation"]; // leave out what it does not play

  // Sets up what is remembered of a match: a process may play several.
  start(match) {}

  // Returns one of the legal actions, within `turn.move_ms` milliseconds. May be async.
  choose(turn) {
    if (turn.game === "donburiko") {
      return best(turn.legal_actions, (action) => valueInDonburiko(turn.observation, action));
    }
    return best(turn.legal_actions, valueInCouperation);
  }

  // Looks at how it ended: `result.scores` and `result.ranks`, by seat.
  end(result) {}
}

function best(actions, value) {
  return actions.reduce((one, other) => (value(other) > value(one) ? other : one));
}

// Donburiko: claim a column that pays enough, else play a card face up where the others gain least.

const FACES = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, "1/5": 1, "-1": -1, "-2": -2, loach: 0, "?": 2 };
const BEST = 6; // the sum that pays most; what is over it has to be paid
const ENOUGH = 4; // tokens for which a column is claimed at once
const GIFT = 0.2; // how much of what a column is worth counts as a gift to the next player

/** About how many tokens a column of these cards pays; loaches turn the ponds.
 * @param {string[]} faces */
function worth(faces) {
  const turned = faces.includes("loach");
  const values = faces.map((face) => (turned ? Math.abs(FACES[face]) : FACES[face]));
  const total = values.reduce((one, other) => one + other, 0);
  return total <= BEST ? total : BEST - total;
}

/** What an action is worth, in tokens.
 * @param {Pond} table
 * @param {PondAction} action */
function valueInDonburiko(table, action) {
  const column = table.columns[action.column];
  const faces = column ? column.cards.map((card) => card.face) : [];
  if (action.type === "claim") return worth(faces) + (column ? column.tokens : 0) - ENOUGH;
  // A card face up brings a token and one face down costs one; somebody else may claim first.
  const token = action.up ? 1 : -1;
  return token - GIFT * Math.max(0, worth([...faces, action.card])) - 1;
}

// Couperation: numbers grow from left to right, so lay each card where its place will be.

const MIDDLE = 25; // the first card, and what the Finish card counts
const FACE_DOWN = 20; // how much worse a card face down is
const PAID = 5; // what each card from hand is worth that goes for one of the reserve

/** How far a card is from the number that its slot has in an evenly filled tower.
 * @param {number} row
 * @param {number} slot
 * @param {Card} card */
function distance(row, slot, card) {
  const number = card === "finish" ? MIDDLE : card;
  return Math.abs(number - (MIDDLE * (2 * slot + row + 1)) / 7);
}

/** What an action is worth: a card face up in a good place, most of all.
 * @param {TowerAction} action */
function valueInCouperation(action) {
  switch (action.type) {
    case "place":
      return -distance(action.row, action.slot, action.card) - (action.up ? 0 : FACE_DOWN);
    case "reserve":
      return -distance(action.row, action.slot, action.take) - PAID * (2 + action.extra.length);
    case "draw":
      return action.count;
    case "discard":
      return Math.abs(action.card - MIDDLE); // the middle has the most places
  }
}

if (require.main === module) new MyBot().run();

module.exports = { MyBot };
