// The answer to a puzzle: whether it is right, and why another one is better.

import type { Table } from "../messages/messages";
import { knownRecord } from "../messages/replay";
import { areEqual, knownCards } from "./known-cards";
import { type CallCount, callCount } from "./probable-tricks";
import type { Answer, Puzzle } from "./puzzles";
import { type Choice, type Reason, reasonFor } from "./reasons";

/** Reasons whose texts say that the person did the wrong action. */
const REASONS_OF_DONE: readonly Reason["key"][] = [
  "thrownAway",
  "trumpWasted",
  "partnerHas",
  "tooLate",
];

/** Returns the table of a puzzle with the record that reasons need. */
export const withRecord = (table: Table): Table => ({ ...table, record: knownRecord(table) });

/**
 * Returns the plausible answer that an action is worth the same as: itself, or a touching card.
 * `undefined` for an action that nobody would take.
 */
export function plausibleAnswer(puzzle: Puzzle, table: Table, action: string): Answer | undefined {
  const plausible = [...puzzle.right, ...puzzle.wrong];
  const same = plausible.find((answer) => answer.action === action);
  if (same || table.phase !== "play") return same;
  const known = knownCards(withRecord(table), table.history.length);
  return plausible.find((answer) => areEqual(known, action, answer.action));
}

/** Whether an action is as good as the best one. */
export function isRightAnswer(puzzle: Puzzle, table: Table, action: string): boolean {
  const answer = plausibleAnswer(puzzle, table, action);
  return answer !== undefined && puzzle.right.includes(answer);
}

/**
 * Returns the comparison of a right answer with the best wrong one, or of the best action with a
 * wrong answer.
 */
export function puzzleChoice(puzzle: Puzzle, table: Table, action: string): Choice {
  const isRight = isRightAnswer(puzzle, table, action);
  return {
    at: table.history.length + 1,
    phase: table.phase,
    did: isRight ? puzzle.wrong[0].action : action,
    best: isRight ? action : puzzle.right[0].action,
  };
}

/** Returns a certain reason for the best action, `null` if there is none. */
export function puzzleReason(puzzle: Puzzle, table: Table, action: string): Reason | null {
  const reason = reasonFor(withRecord(table), puzzleChoice(puzzle, table, action));
  const isRight = isRightAnswer(puzzle, table, action);
  return isRight && reason && REASONS_OF_DONE.includes(reason.key) ? null : reason;
}

/** The tricks of the hand that speak for the best call, or against the other one. */
export interface CountReason {
  code: string;
  count: CallCount;
}

/** Returns a count of tricks as a reason for the best call, `null` if no count decides. */
export function countReason(puzzle: Puzzle, table: Table, action: string): CountReason | null {
  if (puzzle.kind !== "call") return null;
  const { did, best } = puzzleChoice(puzzle, table, action);
  const enough = callCount(table, best);
  if (enough?.isLong && enough.tricks >= enough.needed) return { code: best, count: enough };
  const few = callCount(table, did);
  return few && few.tricks < few.needed ? { code: did, count: few } : null;
}
