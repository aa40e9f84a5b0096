// Messages for unit tests.

import type { BySeat, Rules, Seat, Table, VisibleAction } from "../messages/messages";

const bySeat = <T>(value: T): BySeat<T> => ({ N: value, E: value, S: value, W: value });

/** Returns a table at the start of a deal, with the person at South, and these changes. */
export function table(changes: Partial<Table> = {}): Table {
  return {
    type: "table",
    rules: "luxembourg",
    target: 0,
    length: null,
    left: null,
    deal: 0,
    you: "S",
    bots: bySeat("expert"),
    dealer: "W",
    turn: "S",
    phase: "auction",
    hand: [],
    shown: bySeat([]),
    cards: bySeat(13),
    legal: [],
    calls: changes.history?.length ?? 0,
    history: [],
    turn_up: null,
    announcer: null,
    announces: null,
    asked_for: null,
    contract: null,
    trick: [],
    last_trick: [],
    tricks: bySeat(0),
    scores: null,
    totals: bySeat(0),
    void: false,
    over: false,
    undo: false,
    mine: [],
    certain: false,
    settled: false,
    record: null,
    ...changes,
  };
}

/** Parses calls such as "N:8S E:pass". */
export const calls = (text: string): VisibleAction[] =>
  text.split(" ").map((call) => {
    const [seat, action] = call.split(":");
    return { seat: seat as Seat, action, phase: "auction" };
  });

/** Parses a hand such as "A2 KQ3 2 -", in the order ♠♥♦♣. */
export const cardsOf = (text: string): string[] =>
  text
    .replaceAll("-", "")
    .split(" ")
    .flatMap((ranks, suit) => [...ranks].map((rank) => rank + "SHDC"[suit]));

/** Contract table with a cheap suit contract, an expensive solo, a misère and a troel. */
export const RULES: Rules = {
  type: "rules",
  rules: "luxembourg",
  description: "",
  turn_up: false,
  target: 0,
  contracts: [
    {
      kind: "suit",
      level: 8,
      no_trumps: false,
      points: [
        [6, -4, 4],
        [7, -3, 3],
        [8, 3, -3],
        [9, 5, -5],
        [10, 7, -7],
      ],
    },
    {
      kind: "solo",
      level: 6,
      no_trumps: false,
      points: [
        [5, -15, 5],
        [6, 15, -5],
        [7, 18, -6],
      ],
    },
    {
      kind: "misere",
      level: 0,
      no_trumps: true,
      points: [
        [0, 21, -7],
        [1, -21, 7],
      ],
    },
    {
      kind: "troel",
      level: 8,
      no_trumps: false,
      points: [
        [7, -6, 6],
        [8, 6, -6],
        [9, 8, -8],
      ],
    },
  ],
};
