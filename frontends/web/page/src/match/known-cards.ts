// The cards that the person could know about at a decision.

import { DECK, rankOf, strength, suitOf, winningCard } from "../messages/cards";
import type { BySeat, Seat, Suit, Table, TrickCard } from "../messages/messages";
import { positionAt } from "../messages/replay";
import { SEATS, seatAfter } from "../messages/seats";

/** Position of a finished deal as the person saw it. It holds nothing of the other hands. */
export interface KnownCards {
  hand: string[];
  /** Cards of the trick before the person's card. */
  trick: TrickCard[];
  trump: Suit | null;
  /** Cards that were neither played nor in the person's hand. */
  unseen: string[];
  /** Suits that a seat did not follow. */
  voids: BySeat<Set<Suit>>;
  /** Seats that play to the trick after the person, if the person is to play a card. */
  behind: Seat[];
  /** Other seats on the person's side. */
  allies: Seat[];
}

/** Returns the cards that the person knew before action number `step` of the deal, from 0. */
export function knownCards(table: Table, step: number): KnownCards {
  const { contract, you } = table;
  const { hands, trick } = positionAt(table, step);
  const hand = hands[you];
  const gone = new Set(hand);
  const voids: BySeat<Set<Suit>> = { N: new Set(), E: new Set(), S: new Set(), W: new Set() };
  let led: Suit | null = null;
  let played = 0;
  for (const { seat, action, phase } of table.history.slice(0, step)) {
    if (phase === "discard" && seat === you) gone.add(action);
    if (phase !== "play") continue;
    gone.add(action);
    const suit = suitOf(action);
    if (played % SEATS.length === 0) led = suit;
    else if (led && suit !== led) voids[seat].add(led);
    played += 1;
  }
  const onTable = trick.length === SEATS.length ? [] : trick;
  const declarers = contract?.declarers ?? "";
  return {
    hand,
    trick: onTable,
    trump: contract?.trump ?? null,
    unseen: DECK.filter((card) => !gone.has(card)),
    voids,
    behind: SEATS.slice(onTable.length + 1).map((_, i) => seatAfter(you, i + 1)),
    allies: SEATS.filter(
      (seat) => seat !== you && declarers.includes(seat) === declarers.includes(you),
    ),
  };
}

/** Whether a seat may hold a card, by what the person has seen. */
export const mayHold = ({ unseen, voids }: KnownCards, seat: Seat, card: string): boolean =>
  unseen.includes(card) && !voids[seat].has(suitOf(card));

/** Whether all other trumps are gone. */
export const areTrumpsGone = ({ unseen, trump }: KnownCards): boolean =>
  trump !== null && !unseen.some((card) => suitOf(card) === trump);

/** Whether a card is the highest of its suit that is left, and the person has no equal of it. */
export function isHighestLeft({ hand, unseen }: KnownCards, card: string): boolean {
  const isOfSuit = (other: string) => suitOf(other) === suitOf(card) && other !== card;
  const highestUnseen = Math.max(-1, ...unseen.filter(isOfSuit).map(rankOf));
  return (
    rankOf(card) > highestUnseen &&
    !hand.some((other) => isOfSuit(other) && rankOf(other) > highestUnseen)
  );
}

/** Whether two cards of the person are worth the same: no other card lies between them. */
export function areEqual({ unseen, trick }: KnownCards, one: string, other: string): boolean {
  const [low, high] = [rankOf(one), rankOf(other)].sort((a, b) => a - b);
  const lies = (card: string) =>
    suitOf(card) === suitOf(one) && rankOf(card) > low && rankOf(card) < high;
  return suitOf(one) === suitOf(other) && ![...unseen, ...trick.map(({ card }) => card)].some(lies);
}

/** Whether a card of the person beats all cards of the trick so far. */
export function goesAhead(known: KnownCards, card: string): boolean {
  const winner = winningCard(known.trick, known.trump);
  if (!winner) return true;
  const led = suitOf(known.trick[0].card);
  return strength(card, led, known.trump) > strength(winner.card, led, known.trump);
}

/** Whether no seat behind the person can beat a card, however the unseen cards lie. */
export function isUnbeatable(known: KnownCards, card: string): boolean {
  const { trick, trump, unseen, behind } = known;
  const led = suitOf(trick[0]?.card ?? card);
  const value = strength(card, led, trump);
  const better = unseen.filter((other) => strength(other, led, trump) > value);
  return !behind.some((seat) => better.some((other) => mayHold(known, seat, other)));
}

/** Whether a card of the person takes the trick, however the unseen cards lie. */
export const isSureToTake = (known: KnownCards, card: string): boolean =>
  goesAhead(known, card) && isUnbeatable(known, card);
