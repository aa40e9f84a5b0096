// The lists of the review, in which the person's decisions are shown.

import { COSTLY_GRADES, GRADES, type Grade } from "../match/grades";
import type { Decision } from "../messages/messages";

/** Difference in points that is shown. A smaller one would be written as 0.0. */
export const MIN_SHOWN_POINTS = 0.05;

export interface SortedDecisions {
  /** Inaccuracies and worse, and all losses without a grade, the worst first. */
  costly: Decision[];
  /** Other decisions that cost no points and are better than the bot's, the best first. */
  better: Decision[];
  /** Other decisions that are not the best action. */
  close: Decision[];
  /** Decisions that are not costly, and lose tricks with all hands visible, the worst first. */
  hindsight: Decision[];
  /** All decisions that are not costly, also those of the three lists before. */
  fine: Decision[];
}

/** Sorts decisions into the lists of the review; `gradeOf` returns the grade of a decision. */
export function sortDecisions(
  decisions: Decision[],
  gradeOf: (decision: Decision) => Grade | null,
): SortedDecisions {
  const isCostly = (decision: Decision) => {
    const grade = gradeOf(decision);
    return decision.points >= MIN_SHOWN_POINTS && (!grade || COSTLY_GRADES.includes(grade));
  };
  // The grade of a choice that the bot shares is milder than its points.
  const severity = (decision: Decision) =>
    (GRADES as readonly (Grade | null)[]).indexOf(gradeOf(decision));
  const costly = decisions.filter(isCostly);
  const others = decisions.filter((decision) => !costly.includes(decision));
  const better = others.filter(
    ({ points, over_bot }) => points < MIN_SHOWN_POINTS && over_bot >= MIN_SHOWN_POINTS,
  );
  return {
    costly: sortedBy(costly, ({ points }) => points).sort((a, b) => severity(b) - severity(a)),
    better: sortedBy(better, ({ over_bot }) => over_bot),
    close: others.filter(
      (decision) =>
        !decision.tricks && decision.did !== decision.best && !better.includes(decision),
    ),
    hindsight: sortedBy(
      others.filter(({ tricks }) => tricks),
      ({ tricks }) => tricks!,
    ),
    fine: others,
  };
}

/** Returns decisions by decreasing value; those with the same value in playing order. */
const sortedBy = (decisions: Decision[], value: (decision: Decision) => number): Decision[] =>
  [...decisions].sort((a, b) => value(b) - value(a) || a.at - b.at);
