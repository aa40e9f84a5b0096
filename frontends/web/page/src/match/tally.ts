// The statistics of finished deals.

import type { Decision, GameRecord, Table } from "../messages/messages";
import { saved, type Tally } from "./storage";

const EMPTY_TALLY: Readonly<Tally> = {
  deals: 0,
  points: 0,
  declared: 0,
  made: 0,
  reviewed: 0,
  lost: 0,
};

/** Identifies a deal by its rules and cards. */
export const dealKey = ({ rules, dealer, deal }: GameRecord): string =>
  `${rules}/${dealer}/${deal}`;

/** Adds numbers to the statistics of a rule set. */
export function addToTally(rules: string, added: Partial<Tally>) {
  const tallies = saved.tallies();
  const tally = { ...(tallies[rules] ?? EMPTY_TALLY) };
  for (const [name, value] of Object.entries(added)) tally[name as keyof Tally] += value;
  saved.storeTallies({ ...tallies, [rules]: tally });
}

/** Returns the numbers to add for a deal. A contract is made if it gains its declarers points. */
export function dealTally(points: number, isDeclarer: boolean): Partial<Tally> {
  return {
    deals: 1,
    points,
    declared: isDeclarer ? 1 : 0,
    made: isDeclarer && points > 0 ? 1 : 0,
  };
}

/** Returns the numbers to add for the review of a deal. */
export function reviewTally(decisions: Pick<Decision, "points">[]): Partial<Tally> {
  return { reviewed: 1, lost: decisions.reduce((sum, { points }) => sum + points, 0) };
}

/** Counts a finished deal. Returns false if the same deal was counted before. */
export function countDeal({ rules, record, scores, you, contract }: Table): boolean {
  const key = dealKey({ ...record!, rules });
  const counted = saved.countedDeals();
  if (counted.includes(key)) return false;
  saved.storeCountedDeals([...counted, key]);
  addToTally(rules, dealTally(scores![you], Boolean(contract?.declarers.includes(you))));
  return true;
}

/** Counts the review of a deal that was counted. */
export function countReview(rules: string, decisions: Decision[]) {
  if (saved.tallies()[rules]) addToTally(rules, reviewTally(decisions));
}
