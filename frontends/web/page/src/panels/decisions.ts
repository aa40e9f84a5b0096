// The lists of the review, in which the person's decisions are shown.

import type { Decision } from "../messages/messages";

/** Difference in points that is shown. A smaller one would be written as 0.0. */
export const MIN_SHOWN_POINTS = 0.05;

export interface SortedDecisions {
  /** Decisions that cost points, the worst first. */
  costly: Decision[];
  /** Decisions that cost no points and are better than the bot's, the best first. */
  better: Decision[];
  /** Other decisions that cost nothing, and differ from the best action. */
  equal: Decision[];
  /** Decisions that cost tricks only with all hands visible, the worst first. */
  hindsight: Decision[];
  /** All decisions that cost neither points nor tricks. */
  free: Decision[];
}

/** Sorts decisions into the lists of the review. */
export function sortDecisions(decisions: Decision[]): SortedDecisions {
  const costly = decisions.filter(({ points }) => points >= MIN_SHOWN_POINTS);
  const others = decisions.filter(({ points }) => points < MIN_SHOWN_POINTS);
  const better = others.filter(({ over_bot }) => over_bot >= MIN_SHOWN_POINTS);
  const free = others.filter(({ tricks }) => !tricks);
  return {
    costly: sortedBy(costly, ({ points }) => points),
    better: sortedBy(better, ({ over_bot }) => over_bot),
    equal: free.filter((decision) => decision.did !== decision.best && !better.includes(decision)),
    hindsight: sortedBy(
      others.filter(({ tricks }) => tricks),
      ({ tricks }) => tricks!,
    ),
    free,
  };
}

/** Returns decisions by decreasing value; those with the same value in playing order. */
const sortedBy = (decisions: Decision[], value: (decision: Decision) => number): Decision[] =>
  [...decisions].sort((a, b) => value(b) - value(a) || a.at - b.at);
