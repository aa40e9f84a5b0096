// Tricks that a hand probably takes, by a count of high cards and long trumps.

import { parseCall } from "../messages/actions";
import { type Meaning, replayAuction } from "../messages/auction";
import { rankOf, SUITS, suitOf } from "../messages/cards";
import type { Suit, Table } from "../messages/messages";

/** Trumps beyond this number count a trick each: they are long, or trump a side suit. */
const TRUMPS_WITHOUT_LENGTH = 3;
/** Tricks that a call expects of a partner. */
const PARTNER_TRICKS: Readonly<Record<Meaning, number>> = {
  ask: 3.5,
  along: 4.5,
  raise: 4.5,
  call: 0,
};
/** Cards of the trump suit that a call needs. An ace or a king replaces one of them. */
const NEEDED_TRUMPS: Readonly<Record<Meaning, number>> = { ask: 5, along: 3, raise: 3, call: 6 };

const [QUEEN, KING, ACE] = ["QS", "KS", "AS"].map(rankOf);

const ranksOf = (hand: string[], suit: Suit): number[] =>
  hand.filter((card) => suitOf(card) === suit).map(rankOf);

/** Returns the probable tricks of the ace, king and queen of a suit with these ranks. */
function highCardTricks(ranks: number[]): number {
  const [hasAce, hasKing, hasQueen] = [ACE, KING, QUEEN].map((rank) => ranks.includes(rank));
  const ace = Number(hasAce);
  const king = hasKing && ranks.length > 1 ? (hasAce ? 1 : 0.5) : 0;
  const queen = hasQueen && ranks.length > 2 && (hasAce || hasKing) ? 0.5 : 0;
  return ace + king + queen;
}

/** Returns the tricks that a hand probably takes with a trump suit. */
export function probableTricks(hand: string[], trump: Suit): number {
  const highCards = SUITS.reduce((sum, suit) => sum + highCardTricks(ranksOf(hand, suit)), 0);
  return highCards + Math.max(0, ranksOf(hand, trump).length - TRUMPS_WITHOUT_LENGTH);
}

/** Tricks that a call with a trump suit needs of the hand, and those that the hand counts. */
export interface CallCount {
  suit: Suit;
  tricks: number;
  needed: number;
  /** Whether the hand has enough cards of the suit. */
  isLong: boolean;
}

/** Returns the count for a call that the person may make now; `null` for other calls. */
export function callCount({ you, hand, history }: Table, code: string): CallCount | null {
  const call = parseCall(code);
  if (!call?.level || !call.strain || call.strain === "NT") return null;
  const suit = call.strain;
  const meaning = replayAuction(history).auction.meaning(you, code);
  const ranks = ranksOf(hand, suit);
  const length = ranks.length + Number(ranks.some((rank) => rank >= KING));
  return {
    suit,
    tricks: probableTricks(hand, suit),
    needed: call.level - PARTNER_TRICKS[meaning],
    isLong: length >= NEEDED_TRUMPS[meaning],
  };
}
