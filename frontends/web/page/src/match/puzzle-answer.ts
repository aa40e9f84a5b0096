// The answer to a puzzle: whether it is right, and why another one is better.

import type { Table } from "../messages/messages";
import { knownRecord } from "../messages/replay";
import { areEqual, knownCards } from "./known-cards";
import type { Answer, Puzzle } from "./puzzles";
import { type Choice, type Reason, reasonFor } from "./reasons";

/** Reasons that speak for the best action, whichever other one is compared. */
const REASONS_FOR_BEST: readonly Reason["key"][] = ["sureTricks", "sureMisere"];

/** Returns the table of a puzzle with the record that reasons need. */
export const withRecord = (table: Table): Table => ({ ...table, record: knownRecord(table) });

/** Whether an action is as good as the best one. Touching cards are worth the same. */
export function isRightAnswer(puzzle: Puzzle, table: Table, action: string): boolean {
  const isIn = (answers: Answer[]) => answers.some((answer) => answer.action === action);
  if (isIn(puzzle.right)) return true;
  if (isIn(puzzle.wrong) || table.phase !== "play") return false;
  const known = knownCards(withRecord(table), table.history.length);
  return puzzle.right.some((answer) => areEqual(known, action, answer.action));
}

/** Returns the comparison of the person's answer with the best action. */
export const puzzleChoice = ({ right }: Puzzle, table: Table, action: string): Choice => ({
  at: table.history.length + 1,
  phase: table.phase,
  did: action,
  best: right[0].action,
});

/** Returns a reason for the best action; after a right answer, one that speaks for itself. */
export function puzzleReason(puzzle: Puzzle, table: Table, action: string): Reason | null {
  const isRight = isRightAnswer(puzzle, table, action);
  const other = isRight ? puzzle.wrong[0].action : action;
  const reason = reasonFor(withRecord(table), puzzleChoice(puzzle, table, other));
  return isRight && reason && !REASONS_FOR_BEST.includes(reason.key) ? null : reason;
}
