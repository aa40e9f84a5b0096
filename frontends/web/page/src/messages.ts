// The messages of a table: docs/table.md.

export type Seat = "N" | "E" | "S" | "W";
export type Suit = "S" | "H" | "D" | "C";
export type BySeat<T> = Record<Seat, T>;

export const SEATS: readonly Seat[] = ["N", "E", "S", "W"];

export interface Played { seat: Seat; card: string }
export type Phase = "auction" | "trump" | "discard" | "exchange" | "answer" | "play" | "done";
export interface Done { seat: Seat; action: string; phase: Phase }
export interface Contract { kind: string; level: number | null; trump: Suit | null; declarers: string }
export interface GameRecord { rules: string; dealer: Seat; deal: string; turn_up?: string; actions?: string[] }

export interface Table {
  type: "table";
  rules: string;
  target: number;
  deal: number;
  you: Seat;
  bots: BySeat<string>;
  dealer: Seat;
  turn: Seat | null;
  phase: Phase;
  hand: string[];
  shown: BySeat<string[]>;
  cards: BySeat<number>;
  legal: string[];
  calls: number;
  history: Done[];
  turn_up: string | null;
  announcer: Seat | null;
  announces: string | null;
  asked_for: string | null;
  contract: Contract | null;
  trick: Played[];
  last_trick: Played[];
  tricks: BySeat<number>;
  scores: BySeat<number> | null;
  totals: BySeat<number>;
  void: boolean;
  over: boolean;
  undo: boolean;
  mine: number[];
  certain: boolean;
  settled: boolean;
  record: GameRecord | null;
  /** At a table of several persons only: who sits where, and who wants the next deal. */
  people?: Partial<BySeat<Person>>;
  ready?: Seat[];
  /** What a link to the table has to bring along, if the server asks for it. */
  token?: string | null;
}

/** A seat at a table of several persons whose deal goes on without this person. */
export interface SeatedMessage { type: "seated"; rules: string; you: Seat; people: Partial<BySeat<Person>> }

export interface Person {
  name: string;
  /** Whether the person's page is connected. */
  here: boolean;
  /** Whether a bot plays in the person's place. */
  bot: boolean;
  /** Whether none has in this deal. */
  whole: boolean;
}

export interface ContractRow { kind: string; level: number; no_trumps: boolean; points: [number, number, number][] }
export interface Rules { type: "rules"; rules: string; description: string; turn_up: boolean; target: number; contracts: ContractRow[] }
/** An action with its expected points, their standard error, and its probability in the bot's policy. */
export interface Candidate { action: string; points: number; error: number | null; chance: number }
export interface Hint { type: "hint"; action: string; bot: string; policy: [string, number][]; value: number | null; candidates: Candidate[] }

export interface Decision {
  at: number; seat: Seat; phase: Phase; did: string; best: string; bot: string;
  chance: number; bot_chance: number; value: number | null;
  /** Points given away beside `best`, and by how many the action is better than the bot's. */
  points: number; over_bot: number;
  candidates: Candidate[];
  /** Hindsight: tricks given away with all hands open. */
  tricks: number | null;
}
export interface Review { type: "review"; from: number; of: number; judge: string; decision: Decision | null }
export interface Values { type: "values"; at: number; values: Record<string, [number, number]> }
export interface Par { type: "par"; contract: Contract | null; points: BySeat<number> | null; regret: BySeat<number> | null }
export interface Refused { type: "refused"; of?: string; message: string; lost?: boolean; busy?: boolean }

/** The person's seat is open in another window. */
export interface Moved { type: "moved" }

export type Message = Moved | SeatedMessage | Table | Rules | Hint | Review | Values | Par | Refused;
export type Command = { type: string } & Record<string, unknown>;

/** Tricks that a declarer takes who has promised few of them; `null` for contracts of many tricks. */
export const fewTricks = (kind: string): number | null =>
  kind === "piccolo" ? 1 : ["misere", "small-misere", "open-misere"].includes(kind) ? 0 : null;

/** A seat so many places to the left of another. */
export const after = (seat: Seat, steps: number): Seat => SEATS[(SEATS.indexOf(seat) + steps + 8) % 4];
