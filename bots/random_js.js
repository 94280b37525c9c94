// Takes any legal action, like random_legal.py, but in Node without any package: everything that
// a bot needs to speak the protocol is on this page.
"use strict";

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). The seed of a match is below 2^53, so JSON.parse
// keeps it exact; from there on BigInt does, where plain numbers would lose bits.
function seededDice(seed) {
  let state = BigInt(seed);
  return (sides) => {
    state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
    let word = BigInt.asUintN(64, (state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
    word = BigInt.asUintN(64, (word ^ (word >> 27n)) * 0x94d049bb133111ebn);
    return Number((word ^ (word >> 31n)) % BigInt(sides));
  };
}

let roll = seededDice(0);

// Node writes to a pipe before `write` returns, so nothing is left in a buffer.
function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

function receive(message) {
  switch (message.type) {
    case "hello":
      send({ type: "ready", protocol: 1, name: "random-js", version: "1.0" });
      break;
    case "start":
      roll = seededDice(message.seed);
      break;
    case "act": {
      const action = message.legal_actions[roll(message.legal_actions.length)];
      send({ type: "action", id: message.id, action });
      break;
    }
    case "error":
      console.error(`arena: ${message.code}: ${message.message}`);
      break;
    case "quit":
      process.exit(0);
  }
}

// A line may come in many chunks (it can have hundreds of KiB), and a chunk may hold many lines.
let parts = [];
process.stdin.setEncoding("utf8"); // also joins characters that a chunk has cut in two
process.stdin.on("data", (chunk) => {
  const lines = chunk.split("\n");
  parts.push(lines.shift());
  for (const next of lines) {
    receive(JSON.parse(parts.join("")));
    parts = [next];
  }
});
