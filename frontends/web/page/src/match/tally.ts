// The statistics of finished deals.

import type { Decision, Table } from "../messages/messages";
import { saved, type Tally } from "./storage";

const EMPTY_TALLY: Readonly<Tally> = {
  deals: 0,
  points: 0,
  declared: 0,
  made: 0,
  reviewed: 0,
  lost: 0,
};

/** Counts a finished deal. Returns false if the same deal was counted before. */
export function countDeal(table: Table): boolean {
  const key = `${table.rules}/${table.dealer}/${table.record?.deal}`;
  const counted = saved.countedDeals();
  if (counted.includes(key)) return false;
  saved.storeCountedDeals([...counted, key]);
  const tallies = saved.tallies();
  const tally = { ...(tallies[table.rules] ?? EMPTY_TALLY) };
  const points = table.scores![table.you];
  tally.deals += 1;
  tally.points += points;
  if (table.contract?.declarers.includes(table.you)) {
    tally.declared += 1;
    tally.made += points > 0 ? 1 : 0;
  }
  saved.storeTallies({ ...tallies, [table.rules]: tally });
  return true;
}

/** Counts the review of a deal that was counted. */
export function countReview(rules: string, decisions: Decision[]) {
  const tallies = saved.tallies();
  const tally = tallies[rules];
  if (!tally) return;
  tally.reviewed += 1;
  tally.lost += decisions.reduce((sum, { points }) => sum + points, 0);
  saved.storeTallies(tallies);
}
