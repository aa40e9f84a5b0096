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
 * allow it. If `trump` is one of them, it comes first.
 */
export function suitOrder(held: ReadonlySet<string>, trump: Suit | null): string {
  const first = trump && held.has(trump) ? trump : null;
  const ofColour = (colour: string) => {
    const suits = [...colour].filter((suit) => held.has(suit));
    return suits.sort((a, b) => Number(b === first) - Number(a === first));
  };
  const [black, red] = [ofColour(BLACK), ofColour(RED)];
  const startsRed = first ? RED.includes(first) : red.length > black.length;
  const [one, other] = startsRed ? [red, black] : [black, red];
  const inTurn = [one[0], other[0], one[1], other[1]].filter(Boolean).join("");
  // Suits that a hand gets later, in an exchange, come last.
  return inTurn + [...SUIT_ORDER].filter((suit) => !inTurn.includes(suit)).join("");
}

/** Returns the suits that the person has, or has had in this deal. */
export function dealtSuits({ hand, history, you }: Table): Set<string> {
  const played = history.filter(({ seat, phase }) => seat === you && phase === "play");
  return new Set([...hand, ...played.map(({ action }) => action)].map((code) => code[1]));
}
