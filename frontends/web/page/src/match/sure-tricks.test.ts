import { describe, expect, it } from "vitest";

import { DECK, rankOf, SUITS, strength, suitOf } from "../messages/cards";
import type { Strain } from "../messages/messages";
import { isSureMisere, sureTricks } from "./sure-tricks";

/** Returns a generator of pseudo-random numbers below `below`. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Random = ReturnType<typeof generator>;

function shuffled(cards: readonly string[], random: Random): string[] {
  const rest = [...cards];
  return cards.map(() => rest.splice(random(rest.length), 1)[0]);
}

/** Returns a hand that prefers the first cards of `order`, and three random other hands. */
function deal(order: readonly string[], random: Random): string[][] {
  const hand: string[] = [];
  const rest = [...order];
  while (hand.length < 13) hand.push(...rest.splice(random(3) ? 0 : random(rest.length), 1));
  const others = shuffled(rest, random);
  return [hand, ...[0, 13, 26].map((from) => others.slice(from, from + 13))];
}

const highest = (cards: string[]): string => cards.toSorted((a, b) => rankOf(b) - rankOf(a))[0];

/** Chooses a card of the first hand. */
type Choose = (hand: string[], legal: string[], trick: string[], others: string[]) => string;

/** Plays a deal with random cards of the others. Returns the tricks of the first hand. */
function tricksOfFirst(
  hands: string[][],
  strain: Strain,
  leader: number,
  choose: Choose,
  random: Random,
): number {
  const trump = strain === "NT" ? null : strain;
  let turn = leader;
  let taken = 0;
  while (hands[0].length > 0) {
    const trick: { place: number; card: string }[] = [];
    while (trick.length < 4) {
      const hand = hands[turn];
      const following = hand.filter((card) => trick[0] && suitOf(card) === suitOf(trick[0].card));
      const legal = following.length > 0 ? following : hand;
      const cards = trick.map(({ card }) => card);
      const others = hands.slice(1).flat();
      const card = turn === 0 ? choose(hand, legal, cards, others) : legal[random(legal.length)];
      hands[turn] = hand.filter((held) => held !== card);
      trick.push({ place: turn, card });
      turn = (turn + 1) % 4;
    }
    const led = suitOf(trick[0].card);
    const value = ({ card }: { card: string }) => strength(card, led, trump);
    turn = trick.toSorted((a, b) => value(b) - value(a))[0].place;
    if (turn === 0) taken += 1;
  }
  return taken;
}

describe("sureTricks", () => {
  it("counts the length of suits whose top cards draw all others", () => {
    const hand = "AS KS QS JS TS 9S 8S AH KH 3D 2D 4C 3C".split(" ");
    expect(sureTricks(hand, "S", true)).toBe(9);
    expect(sureTricks(hand, "S", false)).toBe(7);
    // Ace and king do not draw the eleven other hearts.
    expect(sureTricks(hand, "H", true)).toBe(2);
    expect(sureTricks(hand, "NT", true)).toBe(9);
    expect(sureTricks(hand, "D", true)).toBe(0);
  });

  it.each(["S", "NT"] as Strain[])("is a lower bound with %s as trumps", (strain) => {
    const random = generator(7);
    const fromTop = (suit: string) => DECK.filter((card) => suitOf(card) === suit).reverse();
    /** Draws all trumps that are out, then leads the other suits from the top. */
    const choose: Choose = (_, legal, trick, others) => {
      if (trick.length > 0) return legal.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
      const trumps = legal.filter((card) => suitOf(card) === strain);
      const areTrumpsOut = others.some((card) => suitOf(card) === strain);
      if (trumps.length > 0 && areTrumpsOut) return highest(trumps);
      const isHigh = (card: string) =>
        !others.some((other) => suitOf(other) === suitOf(card) && rankOf(other) > rankOf(card));
      return highest(legal.filter(isHigh)) ?? highest(legal);
    };
    let certain = 0;
    for (let round = 0; round < 2000; round += 1) {
      const suits = shuffled(SUITS, random);
      const hands = deal([...fromTop("S"), ...suits.flatMap(fromTop)].filter(isFirst), random);
      const sure = sureTricks(hands[0], strain, true);
      if (sure >= 9) certain += 1;
      expect(tricksOfFirst(hands, strain, 0, choose, random)).toBeGreaterThanOrEqual(sure);
    }
    expect(certain).toBeGreaterThan(100);
  });

  it("is a lower bound of top trumps without the lead", () => {
    const random = generator(11);
    const order = DECK.filter((card) => suitOf(card) === "S").toReversed();
    const choose: Choose = (_, legal) => highest(legal);
    for (let round = 0; round < 500; round += 1) {
      const rest = shuffled(
        DECK.filter((card) => suitOf(card) !== "S"),
        random,
      );
      const hands = deal([...order, ...rest], random);
      const sure = sureTricks(hands[0], "S", false);
      const taken = tricksOfFirst(hands, "S", 1 + random(3), choose, random);
      expect(taken).toBeGreaterThanOrEqual(sure);
    }
  });
});

/** Whether a card is the first one with its code. */
const isFirst = (card: string, at: number, cards: string[]) => cards.indexOf(card) === at;

describe("isSureMisere", () => {
  const cards = (text: string) => text.split(" ");

  it("needs a low card under each higher one", () => {
    expect(isSureMisere(cards("2S 4S 6S 8S 2H 3H 5H 7H 2D 4D 6D 2C 4C"), false)).toBe(true);
    expect(isSureMisere(cards("2S 5S 6S 8S 2H 3H 5H 7H 2D 4D 6D 2C 4C"), false)).toBe(false);
    expect(isSureMisere(cards("3S 4S 6S 8S 2H 3H 5H 7H 2D 4D 6D 2C 4C"), false)).toBe(false);
  });

  it("needs a safe suit to lead from", () => {
    expect(isSureMisere(cards("2S 4S 6S 8S 2H 3H 5H 7H 2D 4D 6D 2C 4C"), true)).toBe(false);
    expect(isSureMisere(cards("2S 4S 6S 8S 2H 3H 5H 7H 2D 4D 6D 8D 2C"), true)).toBe(true);
  });

  it("takes no trick in any deal", () => {
    const random = generator(3);
    /** Leads from a safe suit, and plays the highest card that does not win. */
    const choose: Choose = (hand, legal, trick) => {
      if (trick.length === 0) {
        const isSafe = (card: string) =>
          hand.every((other, _, all) => {
            const suit = all.filter((held) => suitOf(held) === suitOf(card));
            return suitOf(other) !== suitOf(card) || rankOf(other) < suit.length;
          });
        return highest(legal.filter(isSafe));
      }
      const led = suitOf(trick[0]);
      const top = Math.max(...trick.map((card) => strength(card, led, null)));
      return highest(legal.filter((card) => strength(card, led, null) < top)) ?? highest(legal);
    };
    const lowFirst = (seed: string[]) => seed.toSorted((a, b) => rankOf(a) - rankOf(b));
    let certain = 0;
    for (let round = 0; round < 3000; round += 1) {
      const hands = deal(lowFirst(shuffled(DECK, random)), random);
      const leader = random(4);
      if (!isSureMisere(hands[0], leader === 0)) continue;
      certain += 1;
      expect(tricksOfFirst(hands, "NT", leader, choose, random)).toBe(0);
    }
    expect(certain).toBeGreaterThan(50);
  });
});
