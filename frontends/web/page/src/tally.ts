// The statistics of finished deals.

import type { Decision, Table } from "./messages";
import { saved } from "./saved";

/** Counts a finished deal; one that is shown again, or played again, counts once. False if it was counted before. */
export function countDeal(table: Table): boolean {
  const key = `${table.rules}/${table.dealer}/${table.record?.deal}`;
  const counted = saved.counted();
  if (counted.includes(key)) return false;
  saved.keepCounted([...counted, key]);
  const tallies = saved.tallies();
  const tally = tallies[table.rules] ?? { deals: 0, points: 0, declared: 0, made: 0, reviewed: 0, lost: 0 };
  const points = table.scores![table.you];
  tally.deals += 1;
  tally.points += points;
  if (table.contract?.declarers.includes(table.you)) {
    tally.declared += 1;
    tally.made += points > 0 ? 1 : 0;
  }
  saved.keepTallies({ ...tallies, [table.rules]: tally });
  return true;
}

/** Counts the review of a deal that was counted. */
export function countReview(rules: string, decisions: Decision[]) {
  const tallies = saved.tallies();
  const tally = tallies[rules];
  if (!tally) return;
  tally.reviewed += 1;
  tally.lost += decisions.reduce((sum, { points }) => sum + points, 0);
  saved.keepTallies(tallies);
}
