// Types of arena_bot.cjs, and of all that a bot is sent and sends, for TypeScript 5 or later.

/** Donburiko on the wire. */
export namespace donburiko {
  type Face = "1" | "2" | "3" | "4" | "5" | "1/5" | "-1" | "-2" | "loach";

  /** `"?"`: a face that this seat may not see. */
  type SeenFace = Face | "?";

  /** A card in a column. */
  interface Card {
    readonly face: SeenFace;
    readonly up: boolean;
    /** The seat that placed it; `null` for the card that was dealt. */
    readonly by: number | null;
  }

  /** A column that nobody has claimed yet. */
  interface Column {
    /** In the order in which they were placed. */
    readonly cards: readonly Card[];
    readonly tokens: number;
  }

  /** The table as a seat sees it. */
  interface Observation {
    readonly round: number;
    readonly last_round: boolean;
    readonly seat: number;
    readonly to_act: number | null;
    readonly tokens: readonly number[];
    readonly bank: number;
    readonly hand: readonly Face[];
    readonly hand_sizes: readonly number[];
    readonly in_round: readonly boolean[];
    readonly set_aside: number;
    /** By number; `null` once it is claimed. */
    readonly columns: readonly (Column | null)[];
  }

  /** Place a card from hand on a column. */
  interface Play {
    readonly type: "play";
    readonly card: Face;
    readonly column: number;
    readonly up: boolean;
  }

  /** Take a column, and be out of the round. */
  interface Claim {
    readonly type: "claim";
    readonly column: number;
  }

  /** A round began. */
  interface RoundEvent {
    readonly type: "round";
    readonly round: number;
    readonly starts: number;
  }

  /** A seat placed a card. */
  interface PlayEvent {
    readonly type: "play";
    readonly seat: number;
    readonly column: number;
    readonly card: SeenFace;
    readonly up: boolean;
  }

  /** A seat took a column, whose cards everybody now sees. */
  interface ClaimEvent {
    readonly type: "claim";
    readonly seat: number;
    readonly column: number;
    readonly cards: readonly Face[];
    readonly tokens: number;
    readonly sum: number;
    readonly paid: number;
  }

  /** A round ended. */
  interface RoundEndEvent {
    readonly type: "round_end";
    readonly round: number;
    readonly reason: "donburiko" | "no_columns" | "single_cards";
  }

  type Action = Play | Claim;
  type Event = RoundEvent | PlayEvent | ClaimEvent | RoundEndEvent | Fault;
}

/** Couperation on the wire. */
export namespace couperation {
  /** 1 to 50, or the Finish card. */
  type Card = number | "finish";

  /** A filled slot of the tower. */
  interface Slot {
    /** `null` if another seat placed it face down. */
    readonly card: Card | null;
    readonly up: boolean;
    /** The seat that placed it; `null` for the first 25. */
    readonly by: number | null;
  }

  /** The table as a seat sees it. */
  interface Observation {
    readonly seat: number;
    readonly to_act: number | null;
    readonly phase: "draw" | "act" | "discard";
    readonly hand: readonly number[];
    readonly hand_sizes: readonly number[];
    /** The seat before which the Finish card lies. */
    readonly finish: number | null;
    /** Seven rows from the bottom, each from the left; `null` is an empty slot. */
    readonly tower: readonly (readonly (Slot | null)[])[];
    readonly reserve: readonly number[];
    readonly removed: readonly number[];
    readonly deck: number;
    readonly score: number;
  }

  /** Draw so many cards: the first player's choice. */
  interface Draw {
    readonly type: "draw";
    readonly count: number;
  }

  /** Put a card from hand, or the Finish card, into an empty slot. */
  interface Place {
    readonly type: "place";
    readonly card: Card;
    readonly row: number;
    readonly slot: number;
    readonly up: boolean;
  }

  /** Put a pair into the reserve and place a card from there face up. */
  interface Reserve {
    readonly type: "reserve";
    readonly pair: readonly [number, number];
    readonly extra: readonly number[];
    readonly take: number;
    readonly row: number;
    readonly slot: number;
  }

  /** Put one card from hand into the reserve, because the hand holds too many. */
  interface Discard {
    readonly type: "discard";
    readonly card: number;
  }

  /** A seat drew, perhaps nothing. */
  interface DrawEvent {
    readonly type: "draw";
    readonly seat: number;
    readonly count: number;
    /** `null` for other seats. */
    readonly cards: readonly number[] | null;
    readonly finish: boolean;
  }

  /** A seat placed a card. */
  interface PlaceEvent {
    readonly type: "place";
    readonly seat: number;
    /** `null` for other seats if it lies face down. */
    readonly card: Card | null;
    readonly row: number;
    readonly slot: number;
    readonly up: boolean;
  }

  /** A seat used the reserve. */
  interface ReserveEvent {
    readonly type: "reserve";
    readonly seat: number;
    readonly pair: readonly [number, number];
    readonly extra: readonly number[];
    readonly take: number;
    readonly row: number;
    readonly slot: number;
    /** The card taken up: `null` if this seat may not know it, absent if there was none. */
    readonly replaced?: Card | null;
  }

  /** A seat discarded into the reserve. */
  interface DiscardEvent {
    readonly type: "discard";
    readonly seat: number;
    readonly card: number;
  }

  /** A seat had no legal action. */
  interface PassEvent {
    readonly type: "pass";
    readonly seat: number;
  }

  type Action = Draw | Place | Reserve | Discard;
  type Event = DrawEvent | PlaceEvent | ReserveEvent | DiscardEvent | PassEvent | Fault;
}

/** Event of every game: a seat is closed. */
export interface Fault {
  readonly type: "fault";
  readonly seat: number;
}

/** What belongs to each game. */
export interface Games {
  donburiko: {
    observation: donburiko.Observation;
    action: donburiko.Action;
    event: donburiko.Event;
    variant: "standard";
    reason: "finished" | "round_limit" | "walkover";
  };
  couperation: {
    observation: couperation.Observation;
    action: couperation.Action;
    event: couperation.Event;
    variant: "standard" | "finish";
    reason: "won" | "lost" | "fault";
  };
}

export type Game = keyof Games;
export type Observation<G extends Game = Game> = Games[G]["observation"];
export type Action<G extends Game = Game> = Games[G]["action"];
export type Event<G extends Game = Game> = Games[G]["event"];

/** What a bot is held to beside the time for its decisions. */
export interface Limits {
  readonly start_ms: number;
  readonly memory_mb: number;
  readonly processes: number;
  readonly file_mb: number;
  readonly tmp_mb: number;
  readonly open_files: number;
  readonly stderr_kb: number;
}

/** Dice that repeat for the same seed, a whole number below 2^53. */
export class Rng {
  constructor(seed: number);
  /** A whole number from 0 to 2^32 - 1. */
  word(): number;
  /** A whole number from 0 to `bound` - 1, each as likely as the others. */
  below(bound: number): number;
  /** A number from 0 to 1, 1 left out. */
  random(): number;
  /** Any item of a list that has some. */
  choice<Item>(items: readonly Item[]): Item;
  /** Brings a list into any order, in place. */
  shuffle(items: unknown[]): void;
}

interface MatchOf<G extends Game> {
  readonly game: G;
  readonly variant: Games[G]["variant"];
  readonly players: number;
  /** The bot's own seat, from 0. */
  readonly seat: number;
  /** Below 2^53; the same when the match is repeated. It says nothing about the cards. */
  readonly seed: number;
  /** Wall time for each decision. */
  readonly move_ms: number;
  /** Wall time for the whole match, to be used where a decision takes longer. */
  readonly extra_ms: number;
  /** The bot's dice for this match, seeded by `seed`. */
  readonly rng: Rng;
}

interface TurnOf<G extends Game> {
  /** The table as it is now, complete. */
  readonly observation: Observation<G>;
  /** What happened since this bot was last asked, its own action included, oldest first. */
  readonly events: readonly Event<G>[];
  /** Every legal action once; empty for a bot that did not want them. */
  readonly legal_actions: readonly Action<G>[];
  /** Wall time for this decision. */
  readonly move_ms: number;
  /** What is left of the match's extra time. */
  readonly extra_ms: number;
  readonly match: MatchOf<G>;
  readonly game: G;
  readonly variant: Games[G]["variant"];
  readonly players: number;
  readonly seat: number;
  readonly rng: Rng;
  /** How long ago the question was read, in milliseconds. */
  elapsed_ms(): number;
}

interface ResultOf<G extends Game> {
  /** What happened since this bot was last asked. */
  readonly events: readonly Event<G>[];
  /** Points by seat. */
  readonly scores: readonly number[];
  /** Places by seat, 1 best; ties share a place and the next is skipped (1, 1, 3). */
  readonly ranks: readonly number[];
  readonly reason: Games[G]["reason"];
  readonly match: MatchOf<G>;
}

/** What a bot is told of the match that begins; its `game` tells which one it is. */
export type Match<G extends Game = Game> = { [One in G]: MatchOf<One> }[G];

/** One decision; its `game` tells of what type all the rest is. */
export type Turn<G extends Game = Game> = { [One in G]: TurnOf<One> }[G];

/** How the match ended. */
export type Result<G extends Game = Game> = { [One in G]: ResultOf<One> }[G];

/** Base of bots that are more than one function: override `choose`, then call `run`. */
export class Bot<G extends Game = Game> {
  /** Shown in logs alone; a bot without one goes by the name of its class. */
  name: string;
  version: string;
  /** Names of the games that the bot plays; `null` for all. */
  games: readonly G[] | null;
  /** Whether they are wanted; without them the lines to read are much shorter. */
  legal_actions: boolean;
  /** What the bot is held to, once `start` is called; `null`: limits are off. */
  limits: Limits | null;
  /** Prepares for a match; the time that it takes counts towards the first decision. */
  start(match: Match<G>): void | Promise<void>;
  /** Returns one of the legal actions of `turn`. */
  choose(turn: Turn<G>): Action<G> | Promise<Action<G>>;
  /** Takes note of how the match ended. */
  end(result: Result<G>): void | Promise<void>;
  /** Plays over standard input and output until told to quit, or until the input ends. */
  run(): Promise<void>;
}

/** (observation, legal actions) -> one of the legal actions. */
export type Choose<G extends Game = Game> = (
  observation: Observation<G>,
  legal_actions: readonly Action<G>[],
) => Action<G> | Promise<Action<G>>;

export interface Options<G extends Game = Game> {
  /** Shown in logs alone. */
  version?: string;
  /** Names of the games that the bot plays; `null` for all. */
  games?: readonly G[] | null;
  /** Whether `choose` wants them; if not, it is given an empty list. */
  legal_actions?: boolean;
}

/** Plays with `choose` until told to quit, or until the input ends. */
export function run<G extends Game = Game>(
  name: string,
  choose: Choose<G>,
  options?: Options<G>,
): Promise<void>;

/** Returns the actions that `bot` takes when it is sent `lines`, all in this process. */
export function answers<G extends Game = Game>(
  bot: Bot<G> | Choose<G>,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<Action<G>[]>;
