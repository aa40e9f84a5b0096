// A match: its start, and the updates of the copy that this browser keeps of it.

import type { BySeat, GameRecord, Seat, Table } from "../messages/messages";
import { seatAfter } from "../messages/seats";

/** Kind of a side match, which stands beside the person's own match. */
export type SideKind = "lesson" | "daily" | "puzzle" | "kept";

/** The side match that a match is. */
export interface Side {
  kind: SideKind;
  /**
   * Name of the lesson, date of the daily deal, kind and number of the puzzle (`card/7`), or time
   * at which the kept deal ended.
   */
  name: string;
  /** The person's answer to the puzzle. */
  answer?: string;
}

export interface Match {
  rules: string;
  seat: Seat;
  seed: number;
  /** Names of bots by seat. The other seats have the usual bot. */
  bots: Partial<BySeat<string>>;
  /** Record of the first deal, if it is not drawn from the seed. */
  record?: GameRecord;
  /** Number of deals; missing if the match goes on to the target of the rules, or without end. */
  length?: number;
  /** House rules as `packHouseRules` returns them; the bots of this page play them. */
  house?: string;
  /** Missing in the person's own match. */
  side?: Side;
  /** Actions by deal, as far as they were seen. */
  deals: string[][];
  /** Points by deal. */
  scores: BySeat<number>[];
  over: boolean;
}

/** Settings of a new match. */
export interface MatchRequest {
  rules: string;
  seed?: number;
  /** Record of the first deal. */
  record?: GameRecord;
  /** Number of deals, if the rules do not determine the end of the match. */
  length?: number;
  /** House rules as `packHouseRules` returns them. */
  house?: string;
}

/** The person's seat in a match of their own. */
const OWN_SEAT: Seat = "S";
/** A deal with at most this many actions may be left without a question. */
const ACTIONS_WITHOUT_LOSS = 4;

/** Returns a random seed below 2^53, so that it is exact as a JavaScript number. */
const randomSeed = (): number => Number(crypto.getRandomValues(new BigUint64Array(1))[0] >> 11n);

/**
 * Returns the bots by seat for names by place: to the left of `seat`, opposite, to the right. An
 * empty name is the usual bot.
 */
export function botsBySeat(seat: Seat, names: string[]): Partial<BySeat<string>> {
  const bots: Partial<BySeat<string>> = {};
  names.forEach((name, place) => {
    if (name) bots[seatAfter(seat, place + 1)] = name;
  });
  return bots;
}

/** Returns a match without actions, against bots that are named by place. */
export function newMatch(request: MatchRequest, botNames: string[]): Match {
  const { rules, seed = randomSeed(), record, length, house } = request;
  const bots = botsBySeat(OWN_SEAT, botNames);
  const start = { deals: [], scores: [], over: false };
  return { rules, seat: OWN_SEAT, seed, bots, record, length, house, ...start };
}

/**
 * Whether leaving a match would lose something: it is not over and has some actions. A side match
 * loses nothing.
 */
export function isUnderway({ over, side, deals }: Match): boolean {
  return !over && !side && deals.some((actions) => actions.length > ACTIONS_WITHOUT_LOSS);
}

/** Brings a match up to date with its table. Drops deals after the one on the table. */
export function updateMatch(match: Match, table: Table) {
  match.deals.length = match.scores.length = table.deal;
  match.deals[table.deal] = table.record?.actions ?? table.history.map(({ action }) => action);
  if (table.scores) match.scores[table.deal] = table.scores;
  match.over = table.over;
}
