// The order of the cards in a hand.

import type { Suit, Table } from "../messages/messages";

const RANK_ORDER = "AKQJT98765432";
/** All suits, black and red in turn. */
const SUIT_ORDER = "SHCD";
const BLACK = "SC";
const RED = "HD";

/** Sorts cards as people hold them: by suit in this order, high cards first. */
export const sortedHand = (codes: string[], suits = SUIT_ORDER): string[] =>
  [...codes].sort(
    (a, b) =>
      suits.indexOf(a[1]) - suits.indexOf(b[1]) ||
      RANK_ORDER.indexOf(a[0]) - RANK_ORDER.indexOf(b[0]),
  );

/**
 * Returns the order of the suits in a hand: black and red in turn as far as the suits in `held`
 * allow it, and the suit `first`, if there is one, before the others.
 */
export function suitOrder(held: ReadonlySet<string>, first: Suit | null): string {
  const colours = [BLACK, RED].map((colour) => [...colour].filter((suit) => held.has(suit)));
  for (const suits of colours) suits.sort((a, b) => Number(b === first) - Number(a === first));
  const isRedFirst = colours.findIndex((suits) => first && suits[0] === first) === 1;
  const hasMoreRed = colours[1].length > colours[0].length;
  const startsRed = isRedFirst || (hasMoreRed && colours[0][0] !== first);
  const [own, other] = startsRed ? [colours[1], colours[0]] : colours;
  const inTurn = [own[0], other[0], own[1], other[1]].filter(Boolean).join("");
  // Suits that a hand gets later, in an exchange, come last.
  return inTurn + [...SUIT_ORDER].filter((suit) => !inTurn.includes(suit)).join("");
}

/** Returns the suits that the person has, or has had in this deal. */
export function dealtSuits({ hand, history, you }: Table): Set<string> {
  const played = history.filter(({ seat, phase }) => seat === you && phase === "play");
  return new Set([...hand, ...played.map(({ action }) => action)].map((code) => code[1]));
}
