// Whether the hand itself speaks for the best call of a puzzle.

import { isSureCall } from "../src/match/call-reasons";
import { callCount } from "../src/match/probable-tricks";
import type { Puzzle } from "../src/match/puzzles";
import { parseCall } from "../src/messages/actions";
import { rankOf, SUITS, suitOf } from "../src/messages/cards";
import { exactTricks } from "../src/messages/contracts";
import type { Table } from "../src/messages/messages";

/** Calls that promise nothing. */
const PASSIVE_CALLS = ["pass", "wait", "keep"];
/** Tricks by which a count differs clearly. */
const CLEAR_DIFFERENCE = 0.5;
/** Deficit, in tricks or weak cards, from which a call tempts nobody. */
const TEMPTING_DIFFERENCE = 3;
/** Tricks deducted if the trumps are too short. */
const SHORT_TRUMPS = 1;

/**
 * Returns the tricks by which the hand has more than a call needs, below zero if it has less.
 * `null` if no count judges the call.
 */
function surplus(table: Table, code: string): number | null {
  if (isSureCall(table, table.hand, code)) return Number.POSITIVE_INFINITY;
  const exact = exactTricks(code);
  if (exact !== null) return exact === 0 ? misereSurplus(table.hand, code) : null;
  const count = callCount(table, code);
  if (!count) return null;
  return count.tricks - count.needed - (count.isLong ? 0 : SHORT_TRUMPS);
}

/** Returns 0 for a misère without a weak card, less with such cards. */
function misereSurplus(hand: string[], code: string): number {
  // The nth card of a suit is safe while the others have at most n cards below it.
  const weak = SUITS.flatMap((suit) =>
    hand
      .filter((card) => suitOf(card) === suit)
      .map(rankOf)
      .sort((a, b) => a - b)
      .filter((rank, i) => rank - i > i + 1),
  );
  // One card is laid aside before a small misère.
  return Number(code === "small-misere") - weak.length;
}

/** Whether a hand that passes comes near what a wrong call needs. */
const isTempting = (table: Table, code: string): boolean =>
  (surplus(table, code) ?? -TEMPTING_DIFFERENCE) > -TEMPTING_DIFFERENCE;

/** Whether the hand clearly lacks what a call needs. Contracts without a count need a rare hand. */
function isTooMuch(table: Table, code: string): boolean {
  const over = surplus(table, code);
  return over === null || over <= -CLEAR_DIFFERENCE;
}

/**
 * Whether the hand defends the best call of a puzzle. A hand that passes clearly lacks what every
 * call on offer needs. A contract that can fail has what it needs, and each wrong contract lacks it
 * or is of the same kind with a clearly lower count.
 */
export function isDefensible(table: Table, { right, wrong }: Pick<Puzzle, "right" | "wrong">) {
  const isPassive = (code: string) => PASSIVE_CALLS.includes(code);
  const best = right[0].action;
  if (isPassive(best)) {
    const lacksAllCalls = table.legal.every((code) => isPassive(code) || isTooMuch(table, code));
    return lacksAllCalls && wrong.some(({ action }) => isTempting(table, action));
  }
  const over = surplus(table, best);
  if (over === null || over < 0) return false;
  if (over === Number.POSITIVE_INFINITY) return true;
  return wrong.every(({ action }) => {
    if (isPassive(action) || isTooMuch(table, action)) return true;
    const isSameKind = parseCall(action)?.kind === parseCall(best)?.kind;
    return isSameKind && surplus(table, action)! <= over - CLEAR_DIFFERENCE;
  });
}
