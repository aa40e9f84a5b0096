// Grades of the person's decisions, and decisions that deserve praise.

import type { Candidate, Decision } from "../messages/messages";

/** The grades, the best one first. */
export const GRADES = ["best", "good", "inaccuracy", "mistake", "blunder"] as const;
export type Grade = (typeof GRADES)[number];
/** Grades of decisions that cost points. The loss of the others may be luck, or is too small. */
export const COSTLY_GRADES: readonly (Grade | null)[] = ["inaccuracy", "mistake", "blunder"];

/** Smallest loss of an inaccuracy, as a share of the cheapest stake. */
const MIN_INACCURACY_SHARE = 0.05;
/** Smallest loss of a mistake, as a share of the cheapest stake. */
const MIN_MISTAKE_SHARE = 0.15;
/** Smallest loss of a blunder, as a share of the cheapest stake. */
const MIN_BLUNDER_SHARE = 0.4;

/** Maximum number of praised decisions of a deal. */
const MAX_PRAISED = 3;
/** Minimum difference from each other candidate for praise, in standard errors. */
const MIN_PRAISE_ERRORS = 2;
/** Minimum probability in the bot's policy of a candidate that is tempting. */
const MIN_TEMPTING_CHANCE = 0.05;

/**
 * Returns the grade of a decision, `null` if the stakes are unknown. `stake` is the least
 * difference in points between making and failing a contract of the rules. The table counts a loss
 * within two standard errors as 0, so such a decision is good. A choice that the bot shares is at
 * most an inaccuracy, unless `hasReason`: a certain fact speaks against it.
 */
export function gradeOf(
  { did, best, bot, points }: Decision,
  stake: number,
  hasReason: boolean,
): Grade | null {
  if (!Number.isFinite(stake)) return null;
  if (did === best) return "best";
  const share = points / stake;
  if (share < MIN_INACCURACY_SHARE) return "good";
  if (share < MIN_MISTAKE_SHARE || (did === bot && !hasReason)) return "inaccuracy";
  return share < MIN_BLUNDER_SHARE ? "mistake" : "blunder";
}

/** Returns the number of decisions of each grade. */
export function countGrades(
  decisions: Decision[],
  stake: number,
  hasReason: (decision: Decision) => boolean,
): Record<Grade, number> {
  const counts = { best: 0, good: 0, inaccuracy: 0, mistake: 0, blunder: 0 };
  for (const decision of decisions) {
    const grade = gradeOf(decision, stake, hasReason(decision));
    if (grade) counts[grade] += 1;
  }
  return counts;
}

/**
 * Returns the points by which the best action of a decision beats the second one. Returns 0 if the
 * action was not the best one, was obvious, or is not clearly better than all other candidates.
 */
function praisedMargin({ did, best, bot, candidates }: Decision, stake: number): number {
  const chosen = candidates.find(({ action }) => action === did);
  const others = candidates.filter(({ action }) => action !== did);
  if (did !== best || !chosen || others.length < 2) return 0;
  const isTempting = ({ action, chance }: Candidate) =>
    action === bot || chance >= MIN_TEMPTING_CHANCE;
  if (!others.some(isTempting)) return 0;
  const isClear = ({ points, error }: Candidate) => {
    if (error === null || chosen.error === null) return false;
    return chosen.points - points > MIN_PRAISE_ERRORS * Math.hypot(error, chosen.error);
  };
  const margin = chosen.points - Math.max(...others.map(({ points }) => points));
  return margin >= MIN_MISTAKE_SHARE * stake && others.every(isClear) ? margin : 0;
}

/** Returns the decisions that deserve praise in playing order, at most three. */
export function praisedDecisions(decisions: Decision[], stake: number): Decision[] {
  const margins = new Map(decisions.map((decision) => [decision, praisedMargin(decision, stake)]));
  return decisions
    .filter((decision) => margins.get(decision)! > 0)
    .sort((a, b) => margins.get(b)! - margins.get(a)!)
    .slice(0, MAX_PRAISED)
    .sort((a, b) => a.at - b.at);
}
