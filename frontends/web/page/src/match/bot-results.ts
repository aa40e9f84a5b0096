// Points of bots that played the deal of the day many times.

import type { Results } from "../messages/messages";

/** Numbers of plays that ended with fewer points than the person's, with as many, and with more. */
export interface Comparison {
  plays: number;
  fewer: number;
  same: number;
  more: number;
}

const playsOf = (results: Results["points"]): number =>
  results.reduce((sum, [, plays]) => sum + plays, 0);

/** Compares the person's points with those of bots. */
export const compareResults = (results: Results["points"], own: number): Comparison => ({
  plays: playsOf(results),
  fewer: playsOf(results.filter(([points]) => points < own)),
  same: playsOf(results.filter(([points]) => points === own)),
  more: playsOf(results.filter(([points]) => points > own)),
});

/** Largest number of results in the chart, besides the person's. */
const MAX_SHOWN = 10;

/** Returns the most frequent results and that of the person, ascending. */
export function shownResults(results: Results["points"], own: number): Results["points"] {
  const persons = results.find(([points]) => points === own) ?? [own, 0];
  const others = results
    .filter(([points]) => points !== own)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN);
  return [...others, persons].sort(([a], [b]) => a - b);
}
