// Looks one action ahead, in both games: gives every legal action a value and takes the best.
// It plays as bots/greedy.py does, where bots/README.md says how it thinks; its dice differ.
"use strict";

const { Bot } = require("./arena_bot.cjs");

class Greedy extends Bot {
  name = "greedy";
  version = "1.0";
  games = ["donburiko", "couperation"];

  choose(turn) {
    const game = turn.game === "donburiko" ? donburiko : couperation;
    const values = turn.legal_actions.map(game(turn.observation));
    const best = values.reduce((one, other) => Math.max(one, other));
    return turn.rng.choice(turn.legal_actions.filter((_, at) => values[at] === best));
  }
}

function sum(numbers) {
  return numbers.reduce((one, other) => one + other, 0);
}

// Donburiko: claim now, or play a card and hope for a column that the rivals leave?

const FACES = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, "1/5": 1, "-1": -1, "-2": -2, loach: 0 };
const DECK = ["1", "2", "2", "3", "3", "4", "4", "5", "-1", "-1", "-2", "-2", "loach", "loach"];
const MOST = 6; // the sum that pays most; beyond it, the rest is paid to the bank
const DONBURIKO = 2; // what a sum of exactly six is worth besides: nobody else scores
const GIFT = 0.2; // what an offer to the rivals costs, as a share of the best column

// What a claim of these cards is worth in tokens.
function payment(cards) {
  // A loach turns the ponds, which are the only cards below zero.
  const turned = cards.includes("loach");
  const low = sum(cards.map((card) => (turned ? Math.abs(FACES[card]) : FACES[card])));
  const either = cards.filter((card) => card === "1/5").length;
  const sums = Array.from({ length: either + 1 }, (_, fives) => low + 4 * fives);
  if (sums.includes(MOST)) return MOST + DONBURIKO;
  return Math.max(...sums.map((total) => (total < MOST ? total : MOST - total)));
}

// All ways to take `count` of the cards from `first` on.
function* combinations(cards, count, first = 0) {
  if (count === 0) yield [];
  for (let at = first; count > 0 && at + count <= cards.length; at++) {
    for (const more of combinations(cards, count - 1, at + 1)) yield [cards[at], ...more];
  }
}

// Returns the value of an action in tokens: got now, and hoped for on the next turn.
function donburiko(table) {
  // Two players do without these cards.
  const unseen = table.tokens.length === 2 ? [...DECK] : [...DECK, "1/5", "1/5"];
  const open = table.columns.flatMap((column) => (column ? column.cards : []));
  for (const seen of [...open.map((card) => card.face), ...table.hand]) {
    const at = unseen.indexOf(seen);
    if (at >= 0) unseen.splice(at, 1);
  }
  const rivals = table.in_round.filter(Boolean).length - 1;

  function worth(column, ...more) {
    // Whatever has not been seen may lie face down, all of it equally likely.
    const faces = column.cards.map((card) => card.face);
    const known = [...faces.filter((face) => face !== "?"), ...more];
    const hidden = [...combinations(unseen, faces.filter((face) => face === "?").length)];
    const payments = hidden.map((cards) => payment([...known, ...cards]));
    return sum(payments) / payments.length + column.tokens;
  }

  const offers = new Map();
  table.columns.forEach((column, at) => {
    if (column && column.cards.length > 1) offers.set(at, worth(column));
  });

  return (action) => {
    if (action.type === "claim") return offers.get(action.column);
    // A token from the bank, or one of our own onto the column.
    const [got, given] = action.up ? [Math.min(table.bank, 1), 0] : [-1, 1];
    const after = new Map(offers);
    after.set(action.column, worth(table.columns[action.column], action.card) + given);
    const bestFirst = [...after.values()].sort((one, other) => other - one);
    // Every rival takes the best column that is left, before it is our turn again.
    const left = rivals < bestFirst.length ? bestFirst[rivals] : 0;
    return got + left - GIFT * bestFirst[0];
  };
}

// Couperation: which action leaves the most room where a card is still lacking?

const HOPELESS = 2; // cost of a slot that no card is left for; one for a single card costs 1
const FACE_DOWN = 1; // cost of a card face down
const RESERVE = 0.5; // cost of each card from hand that goes for one from the reserve
const DRAW = 0.1; // value of a card that the next player may draw

// A slot is a number, row by row.
const ROWS = [0, 1, 2, 3, 4, 5, 6];
const PLACES = ROWS.flatMap((row) => ROWS.slice(row).map((_, slot) => [row, slot]));
const NUMBERS = new Map(PLACES.map(([row, slot], at) => [`${row} ${slot}`, at]));
const LEFT_TO_RIGHT = PLACES.map((_, at) => at).sort((one, other) => across(one) - across(other));

// The slots beside, below and above whose cards must be smaller.
const SMALLER = PLACES.map(([row, slot]) =>
  [slotAt(row, slot - 1), slotAt(row - 1, slot), slotAt(row + 1, slot - 1)].filter(
    (at) => at !== undefined,
  ),
);
const GREATER = PLACES.map((_, at) =>
  SMALLER.flatMap((smaller, other) => (smaller.includes(at) ? [other] : [])),
);

function across(at) {
  const [row, slot] = PLACES[at];
  return 2 * slot + row;
}

function slotAt(row, slot) {
  return NUMBERS.get(`${row} ${slot}`);
}

// The lowest and highest card of each slot in a complete tower around this one, which has a card
// or 0 for each slot.
function limits(tower) {
  const low = new Array(tower.length);
  for (const at of LEFT_TO_RIGHT) {
    low[at] = tower[at] || SMALLER[at].reduce((most, other) => Math.max(most, low[other]), 0) + 1;
  }
  const high = new Array(tower.length);
  for (const at of [...LEFT_TO_RIGHT].reverse()) {
    high[at] = tower[at] || GREATER[at].reduce((most, other) => Math.min(most, high[other]), 51) - 1;
  }
  return { low, high };
}

// A sum over the slots that lack a card face up: the fewer cards fit, the more.
function trouble(tower, removed) {
  const gone = new Set([...tower, ...removed]);
  const upTo = [0];
  for (let card = 1; card <= 50; card++) upTo.push(upTo[card - 1] + (gone.has(card) ? 0 : 1));
  const { low, high } = limits(tower);
  let cost = 0;
  tower.forEach((card, at) => {
    if (card) return;
    const fitting = low[at] <= high[at] ? upTo[high[at]] - upTo[low[at] - 1] : 0;
    cost += fitting ? 1 / Math.sqrt(fitting) : HOPELESS;
  });
  return cost;
}

// The diamonds on a card: every fifth card has a heart instead.
function diamonds(card) {
  return card % 5 ? card % 3 : 0;
}

// How many cards a card in a slot lets the next player draw.
function drawn(tower, row, slot, card) {
  if (card % 5) return diamonds(card);
  const supports = [slotAt(row - 1, slot), slotAt(row - 1, slot + 1)];
  return sum(supports.map((under) => diamonds(tower[under] ?? 0)));
}

// Returns the value of an action: little trouble left in the tower, cards to draw.
function couperation(table) {
  const number = (card) => (card === "finish" ? 25 : card);
  const tower = PLACES.map(([row, slot]) => {
    const laid = table.tower[row][slot];
    return laid && laid.up ? number(laid.card) : 0;
  });

  // Many actions differ only in the cards that are paid, so each way to lay one is judged once.
  const judged = new Map();
  function faceUp(row, slot, card) {
    const way = `${row} ${slot} ${card}`;
    if (!judged.has(way)) {
      const after = [...tower];
      after[slotAt(row, slot)] = card;
      judged.set(way, DRAW * drawn(tower, row, slot, card) - trouble(after, table.removed));
    }
    return judged.get(way);
  }

  return (action) => {
    const { type, row, slot } = action;
    if (type === "draw") return action.count;
    if (type === "discard") {
      const { low, high } = limits(tower);
      return -low.filter((least, at) => least <= action.card && action.card <= high[at]).length;
    }
    if (type === "reserve") {
      return faceUp(row, slot, action.take) - RESERVE * (2 + action.extra.length);
    }
    if (action.up) return faceUp(row, slot, number(action.card));
    return -trouble(tower, table.removed) - FACE_DOWN;
  };
}

if (require.main === module) new Greedy().run();

module.exports = { couperation, donburiko };
