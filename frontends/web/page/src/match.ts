// How a match starts, and how the copy that this browser keeps of it follows the table.

import type { BySeat, Seat, Table } from "./messages";
import { after } from "./messages";
import type { Match } from "./saved";

/** Wishes for a new match. Only the rules are needed; `bots` are named by place, as in the settings. */
export interface Opened { rules: string; seed?: number; record?: Match["record"]; daily?: string; bots?: string[] }

/** A random seed, below 2^53 so that it is exact as a number of JavaScript. */
const randomSeed = (): number => Number(crypto.getRandomValues(new BigUint64Array(1))[0] >> 11n);

/** Returns a match in which nothing was played yet. An empty name is the usual bot. */
export function newMatch({ rules, seed, record, daily, bots }: Opened, usualBots: string[]): Match {
  const seat: Seat = "S";
  const named: Partial<BySeat<string>> = {};
  (bots ?? usualBots).forEach((name, place) => { if (name) named[after(seat, place + 1)] = name; });
  return { rules, seat, seed: seed ?? randomSeed(), bots: named, record, daily, deals: [], scores: [], over: false };
}

/** Brings a match up to date with its table. Deals after the one on the table are dropped. */
export function follow(match: Match, table: Table) {
  match.deals.length = match.scores.length = table.deal;
  match.deals[table.deal] = table.record?.actions ?? table.history.map(({ action }) => action);
  if (table.scores) match.scores[table.deal] = table.scores;
  match.over = table.over;
}
