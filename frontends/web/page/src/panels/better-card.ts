// The card that the review marks in the open hands.

import { betterOpenCard } from "../match/hindsight";
import type { Decision, Table, Values } from "../messages/messages";
import { MIN_SHOWN_POINTS } from "./decisions";

/** A card that was better than the one that the person played. */
export interface BetterCard {
  card: string;
  /** Whether only open cards show that it is better. */
  isHindsight: boolean;
}

/** Returns the card that is better with all hands visible, once that is solved. */
export function betterInHindsight(
  table: Table,
  { did, seat }: Decision,
  values: Values["values"] | undefined,
): BetterCard | null {
  const isDeclarer = table.contract?.declarers.includes(seat) ?? false;
  const card = values ? betterOpenCard(values, did, isDeclarer) : null;
  return card === null ? null : { card, isHindsight: true };
}

/** Returns the best card of a decision that cost points. */
export function betterCard({ did, best, phase, points }: Decision): BetterCard | null {
  const isBetter = phase === "play" && did !== best && points >= MIN_SHOWN_POINTS;
  return isBetter ? { card: best, isHindsight: false } : null;
}
