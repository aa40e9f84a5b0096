// Cards: suits, ranks, the deck, and the winner of a trick.

import type { Suit, TrickCard } from "./messages";

/** Order of the ranks, low to high. */
const RANKS = "23456789TJQKA";

/** Number of cards of each suit. */
export const CARDS_PER_SUIT = RANKS.length;

/** The suits in the order of records. */
export const SUITS: readonly Suit[] = ["S", "H", "D", "C"];

/** All 52 cards. */
export const DECK: readonly string[] = SUITS.flatMap((suit) =>
  [...RANKS].map((rank) => rank + suit),
);

export const suitOf = (card: string): Suit => card[1] as Suit;

/** Returns the place of the card in its suit: 0 for a two, 12 for an ace. */
export const rankOf = (card: string): number => RANKS.indexOf(card[0]);

/** Returns the strength of a card in a trick; negative if it cannot win. */
export function strength(card: string, led: Suit, trump: Suit | null): number {
  if (suitOf(card) === trump) return RANKS.length + rankOf(card);
  return suitOf(card) === led ? rankOf(card) : -1;
}

/** Returns the card that wins a trick so far; `undefined` before the first card. */
export function winningCard(trick: TrickCard[], trump: Suit | null): TrickCard | undefined {
  const value = ({ card }: TrickCard) => strength(card, suitOf(trick[0].card), trump);
  return [...trick].sort((a, b) => value(b) - value(a))[0];
}
