// The start of a match, and the updates of the copy that this browser keeps of it.

import type { BySeat, Seat, Table } from "./messages";
import { after } from "./messages";
import type { Match } from "./saved";

/** Wishes for a new match. */
export interface Opened {
  rules: string;
  seed?: number;
  /** Record of the first deal. */
  record?: Match["record"];
  /** Date of a deal of the day. */
  daily?: string;
  /** Names of bots by place, as in the settings. */
  bots?: string[];
}

/** A random seed, below 2^53 so that it is exact as a number of JavaScript. */
const randomSeed = (): number => Number(crypto.getRandomValues(new BigUint64Array(1))[0] >> 11n);

/** Returns a match in which nothing was played yet. An empty name stands for the usual bot. */
export function newMatch({ rules, seed, record, daily, bots }: Opened, usualBots: string[]): Match {
  const seat: Seat = "S";
  const named: Partial<BySeat<string>> = {};
  (bots ?? usualBots).forEach((name, place) => { if (name) named[after(seat, place + 1)] = name; });
  return { rules, seat, seed: seed ?? randomSeed(), bots: named, record, daily, deals: [], scores: [], over: false };
}

/** Whether leaving a match would lose something: it is not over, and somebody has played. */
export function isUnderway({ over, daily, scores, deals }: Match): boolean {
  const isDone = over || (daily && scores.length > 0);
  return !isDone && deals.some((actions) => actions.length > 4);
}

/** Brings a match up to date with its table. Deals after the one on the table are dropped. */
export function follow(match: Match, table: Table) {
  match.deals.length = match.scores.length = table.deal;
  match.deals[table.deal] = table.record?.actions ?? table.history.map(({ action }) => action);
  if (table.scores) match.scores[table.deal] = table.scores;
  match.over = table.over;
}
