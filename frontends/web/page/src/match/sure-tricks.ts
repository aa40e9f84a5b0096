// Contracts that cannot fail, by the cards of one hand.

import { CARDS_PER_SUIT, rankOf, SUITS, suitOf } from "../messages/cards";
import type { Strain, Suit } from "../messages/messages";

/** Number of cards of a suit that leave enough with the others, even in a small misère. */
const MAX_SAFE_LEAD_LENGTH = 9;

/** Returns the ranks of a suit from the top. */
const ranksFromTop = (hand: string[], suit: Strain): number[] =>
  hand
    .filter((card) => suitOf(card) === suit)
    .map(rankOf)
    .sort((a, b) => b - a);

/** Returns the number of cards from the top of a suit without a gap: 2 for A, K, J. */
function topCards(hand: string[], suit: Strain): number {
  const ranks = ranksFromTop(hand, suit);
  const gap = ranks.findIndex((rank, i) => rank !== CARDS_PER_SUIT - 1 - i);
  return gap < 0 ? ranks.length : gap;
}

/** Whether the top cards of a suit draw all its other cards, even if one hand has them all. */
const drawsAll = (hand: string[], suit: Suit): boolean =>
  topCards(hand, suit) >= CARDS_PER_SUIT - ranksFromTop(hand, suit).length;

/** Returns the tricks of a suit for a hand that leads it from the top and cannot be trumped. */
const suitTricks = (hand: string[], suit: Suit): number =>
  drawsAll(hand, suit) ? ranksFromTop(hand, suit).length : topCards(hand, suit);

/**
 * Returns a number of tricks that a lone declarer takes however the other cards lie. It is a lower
 * bound: it counts solid cards from the top only.
 */
export function sureTricks(hand: string[], strain: Strain, hasFirstLead: boolean): number {
  // Side suits can be trumped before the declarer has drawn trumps. Top trumps win at any time.
  const canCashAll = hasFirstLead && (strain === "NT" || drawsAll(hand, strain));
  if (!canCashAll) return topCards(hand, strain);
  return SUITS.reduce((sum, suit) => sum + suitTricks(hand, suit), 0);
}

/** Whether a misère with this hand takes no trick however the other cards lie. */
export function isSureMisere(hand: string[], mayLeadFirst: boolean): boolean {
  /** Number of cards of the others below each card, by suit, from the lowest card of the hand. */
  const othersBelow = SUITS.map((suit) =>
    ranksFromTop(hand, suit)
      .reverse()
      .map((rank, i) => rank - i),
  );
  // Each lead of a card below the nth card can force out one of the n − 1 cards under it.
  const canDuck = othersBelow.every((counts) => counts.every((count, i) => count <= i));
  // Such a suit loses the first lead, and keeps no card that could be forced to win.
  const hasSafeLead = othersBelow.some(
    (counts) =>
      counts.length > 0 &&
      counts.length <= MAX_SAFE_LEAD_LENGTH &&
      counts.every((count) => count === 0),
  );
  return canDuck && (hasSafeLead || !mayLeadFirst);
}
