// Looks one action ahead, in both games: gives every legal action a value and takes the best.
// It plays as bots/greedy.py does, where bots/README.md says how it thinks; its dice differ.
"use strict";

const { Bot } = require("./arena_bot.cjs");

class Greedy extends Bot {
  name = "greedy";
  version = "2.0";
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

// Couperation: how far is a card from its place in an evenly filled tower?

const FACE_DOWN = 10; // a card face down is as bad as one that is so far from its place
const PAID = 2; // the same for each card from hand that goes for one from the reserve

// How far a card is from the number that an evenly filled tower has in a slot.
function distance([row, slot], card) {
  // From 1 to 49: a row goes up by eight, and a card above two others is halfway between them.
  return Math.abs(card - (1 + 4 * (2 * slot + row)));
}

// Returns the value of an action: every card close to its place, and few cards spent on it.
function couperation(table) {
  const places = table.tower.flatMap((slots, row) => slots.map((_, slot) => [row, slot]));
  const lacking = places.filter(([row, slot]) => !table.tower[row][slot]?.up);

  return (action) => {
    const { type, row, slot, card } = action;
    if (type === "draw") return action.count;
    if (type === "discard") {
      return lacking.length ? Math.min(...lacking.map((at) => distance(at, card))) : 0;
    }
    if (type === "reserve") {
      return -distance([row, slot], action.take) - PAID * (2 + action.extra.length);
    }
    return action.up ? -distance([row, slot], card === "finish" ? 25 : card) : -FACE_DOWN;
  };
}

if (require.main === module) new Greedy().run();

module.exports = { couperation, donburiko };
