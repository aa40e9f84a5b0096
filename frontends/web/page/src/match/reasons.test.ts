import { describe, expect, it } from "vitest";

import { DECK, rankOf, strength, suitOf, winningCard } from "../messages/cards";
import type { BySeat, Decision, Phase, Seat, Suit, Table, TrickCard } from "../messages/messages";
import { positionAt } from "../messages/replay";
import { SEATS, seatAfter } from "../messages/seats";
import { DEALS, finishedTable } from "../testing/deals";
import { table } from "../testing/tables";
import { type Reason, reasonFor } from "./reasons";

const decision = (at: number, phase: Phase, did: string, best: string): Decision => ({
  at,
  seat: "S",
  phase,
  did,
  best,
  bot: best,
  chance: 0,
  bot_chance: 1,
  value: null,
  points: 1,
  bot_points: 0,
  over_bot: 0,
  candidates: [],
  tricks: null,
});

/** Returns the cards that may be played to a trick. */
function legalCards(hand: string[], led: Suit | undefined): string[] {
  const following = hand.filter((card) => suitOf(card) === led);
  return following.length > 0 ? following : hand;
}

/** The four hands and the trick before a card is played. */
interface OpenPosition {
  hands: BySeat<string[]>;
  trick: TrickCard[];
  you: Seat;
  trump: Suit | null;
}

/** Whether no seat behind `you` has a legal card that beats `card`. */
function holds({ hands, trick, you, trump }: OpenPosition, card: string): boolean {
  const led = suitOf(trick[0]?.card ?? card);
  const behind = SEATS.slice(trick.length + 1).map((_, i) => seatAfter(you, i + 1));
  return behind.every((seat) =>
    legalCards(hands[seat], led).every(
      (other) => strength(other, led, trump) < strength(card, led, trump),
    ),
  );
}

/** Whether `card` beats the trick so far. */
function leads({ trick, trump }: OpenPosition, card: string): boolean {
  const winner = winningCard(trick, trump);
  if (!winner) return true;
  const led = suitOf(trick[0].card);
  return strength(card, led, trump) > strength(winner.card, led, trump);
}

/** Whether `card` takes the trick. */
const isTaken = (open: OpenPosition, card: string): boolean =>
  leads(open, card) && holds(open, card);

/** Whether the facts of a reason are true when all hands are looked at. */
function isTrue(reason: Reason, open: OpenPosition, did: string, best: string): boolean {
  const { hands, trick, you, trump } = open;
  const others = SEATS.filter((seat) => seat !== you).flatMap((seat) => hands[seat]);
  const hasTrumps = others.some((card) => suitOf(card) === trump);
  const winner = winningCard(trick, trump);
  switch (reason.key) {
    case "notSafe":
      return winner?.seat === reason.seat && isTaken(open, best) && !leads(open, did);
    case "trumpWasted":
      return suitOf(did) === trump && !leads(open, did) && suitOf(best) !== trump;
    case "leaveIt":
      return winner?.seat === reason.seat && leads(open, did) && !leads(open, best);
    case "drawTrumps": {
      const trumps = others.filter((card) => suitOf(card) === trump);
      return trumps.length === reason.tricks && suitOf(best) === trump;
    }
    case "sureLead":
      return isTaken(open, best);
    case "leadTakes":
      return isTaken(open, did);
    case "ridOf":
      return [did, best].every((card) => !leads(open, card)) && rankOf(best) > rankOf(did);
    case "takesTrick":
      return leads(open, best) && holds(open, best) && !leads(open, did);
    case "partnerHas":
      return winner?.seat === reason.seat && holds(open, winner.card) && did !== best;
    case "canBeTrumped":
      return hasTrumps && hands[reason.seat].every((card) => suitOf(card) !== suitOf(did));
    case "safeNow":
      return !hasTrumps && holds(open, best);
    case "drawsNothing":
      return !hasTrumps && suitOf(did) === trump;
    case "thrownAway": {
      const isHigher = (card: string) => suitOf(card) === suitOf(did) && rankOf(card) > rankOf(did);
      return !leads(open, did) && ![...others, ...hands[you]].some(isHigher);
    }
    case "tooLate":
      return !leads(open, did) && rankOf(best) < rankOf(did);
    case "cheaper":
      return [did, best].every((card) => leads(open, card) && holds(open, card));
    case "sureToTake":
      return leads(open, did) && holds(open, did) && !leads(open, best);
    case "staysBelow":
      return leads(open, did) && !leads(open, best) && winner?.card === reason.winner;
    default:
      return false;
  }
}

interface Claim {
  reason: Reason;
  isTrue: boolean;
  where: string;
}

/** Returns a claim for each pair of legal cards at each decision of `you` for which one is made. */
function claims(over: Table): Claim[] {
  const found: Claim[] = [];
  for (const [step, { seat, phase }] of over.history.entries()) {
    if (seat !== over.you || phase !== "play") continue;
    const { hands, trick } = positionAt(over, step);
    const onTable = trick.length === 4 ? [] : trick;
    const trump = over.contract!.trump;
    const open = { hands, trick: onTable, you: over.you, trump };
    const cards = legalCards(hands[seat], onTable[0] && suitOf(onTable[0].card));
    for (const did of cards) {
      for (const best of cards) {
        const reason = reasonFor(over, decision(step + 1, "play", did, best));
        if (!reason) continue;
        const where = `${over.record!.deal} ${step} ${did} ${best} ${reason.key}`;
        found.push({ reason, isTrue: isTrue(reason, open, did, best), where });
      }
    }
  }
  return found;
}

const allClaims = () =>
  DEALS.flatMap((deal) => SEATS.flatMap((seat) => claims(finishedTable(deal, seat))));

/** Returns the table with all hands but the person's exchanged for others of the unseen cards. */
function withOtherHands(over: Table, step: number): Table {
  const dealt = over.record!;
  const { hands } = positionAt(over, step);
  const [a, b] = SEATS.filter((seat) => seat !== over.you);
  const swapped = { ...hands, [a]: hands[b], [b]: hands[a] };
  const suits = ["S", "H", "D", "C"];
  const played = over.history.slice(0, step).filter(({ phase }) => phase === "play");
  const texts = SEATS.map((seat) => {
    const gone = played.filter((action) => action.seat === seat).map(({ action }) => action);
    const all = [...swapped[seat], ...gone];
    return suits
      .map((suit) =>
        all
          .filter((card) => suitOf(card) === suit)
          .map((card) => card[0])
          .join(""),
      )
      .join(".");
  });
  return { ...over, record: { ...dealt, deal: `N:${texts.join(" ")}` } };
}

describe("reasonFor in whole deals", () => {
  it("claims only facts that are true with all hands visible", () => {
    const found = allClaims();
    expect(found.filter((claim) => !claim.isTrue).map(({ where }) => where)).toEqual([]);
    expect(found.length).toBeGreaterThan(100);
  });

  it("depends only on the cards that the person saw", () => {
    const over = finishedTable(DEALS[0], "S");
    const cards = over.history.flatMap(({ seat, phase }, step) =>
      seat === "S" && phase === "play" ? [step] : [],
    );
    for (const step of cards) {
      const other = withOtherHands(over, step);
      const hand = positionAt(over, step).hands.S;
      expect(positionAt(other, step).hands.S.toSorted()).toEqual(hand.toSorted());
      for (const did of hand) {
        for (const best of hand) {
          const judged = decision(step + 1, "play", did, best);
          expect(reasonFor(other, judged)).toEqual(reasonFor(over, judged));
        }
      }
    }
  });

  it("says nothing if the best action was taken", () => {
    const over = finishedTable(DEALS[0], "S");
    expect(reasonFor(over, decision(over.calls + 1, "play", "AS", "AS"))).toBeNull();
  });
});

/** Deals `hand` to South. The others have the remaining cards in the order of the deck. */
function dealTo(hand: string): string {
  const suits = ["S", "H", "D", "C"] as const;
  const held = hand.split(".").flatMap((ranks, i) => [...ranks].map((rank) => rank + suits[i]));
  const rest = DECK.filter((card) => !held.includes(card));
  const texts = [0, 1, 2].map((place) => {
    const cards = rest.slice(13 * place, 13 * place + 13);
    return suits
      .map((suit) => cards.flatMap((card) => (suitOf(card) === suit ? [card[0]] : [])).join(""))
      .join(".");
  });
  return `S:${hand} ${texts.join(" ")}`;
}

/** Returns South's reason for a call with a hand; West deals unless the changes say otherwise. */
function callReason(hand: string, did: string, best: string, changes: Partial<Table> = {}) {
  const deal = dealTo(hand);
  const over = table({
    record: { rules: "luxembourg", dealer: "W", deal, actions: [] },
    ...changes,
  });
  return reasonFor(over, decision(1, "auction", did, best));
}

describe("reasonFor a call", () => {
  const NINE = "AKQJT98.AK.32.43";

  it("counts the tricks of a contract that cannot fail", () => {
    expect(callReason(NINE, "pass", "abondance-9S")).toEqual({ key: "sureTricks", tricks: 9 });
  });

  it("names only the length of the trumps of a contract that may fail", () => {
    const length = { key: "longSuit", tricks: 7, suit: "S" };
    expect(callReason(NINE, "pass", "abondance-10S")).toEqual(length);
    expect(callReason("AKQJ987.AKQ.2.32", "pass", "abondance-11S")).toEqual(length);
    expect(callReason("KQJT987.AK.32.43", "pass", "abondance-9S")).toEqual(length);
  });

  it("compares the trumps of two calls", () => {
    const hand = "AK432.QJ2.432.32";
    expect(callReason(hand, "8H", "8S")?.key).toBe("longSuit");
    expect(callReason(hand, "8H", "pass")).toEqual({ key: "shortSuit", tricks: 3, suit: "H" });
    expect(callReason(hand, "9S", "8S")).toBeNull();
    expect(callReason(hand, "8S", "pass")).toBeNull();
    expect(callReason(hand, "pass", "8D")).toBeNull();
  });

  it("says nothing if the call that was made cannot fail either and is as high", () => {
    const hand = "AKQJT98.AKQ.A.32";
    expect(callReason(hand, "abondance-9S", "abondance-9H")).toBeNull();
    expect(callReason(hand, "abondance-9S", "abondance-10S")).toMatchObject({ tricks: 11 });
    expect(callReason(hand, "abondance-10S", "abondance-9S")).toBeNull();
  });

  it("counts only top trumps if eldest leads", () => {
    expect(callReason("AKQJT98.AK.32.43", "pass", "solo-7S")).toMatchObject({ tricks: 7 });
    expect(callReason("AKQJT9.AK.32.432", "pass", "solo-7S")?.key).toBe("longSuit");
  });

  it("takes the turn-up suit for a solo slim, unless it may have been hidden", () => {
    const hand = "AKQJT98765432...";
    const shown = { turn_up: "5S" };
    expect(callReason(hand, "pass", "solo-slim", shown)).toMatchObject({ tricks: 13 });
    expect(callReason(hand, "pass", "solo-slim", { ...shown, announces: "troel" })).toBeNull();
  });

  it("knows misères that cannot fail", () => {
    const hand = "2468.2357.246.24";
    expect(callReason(hand, "pass", "misere")).toEqual({ key: "sureMisere" });
    expect(callReason("2568.2357.246.24", "pass", "misere")).toBeNull();
    expect(callReason(hand, "misere", "open-misere")).toBeNull();
  });
});

/** Returns South's reason for a card. `cards` are those played before, as "W:5H N:6H". */
function cardReason(
  hand: string,
  cards: string,
  did: string,
  best: string,
  contract: Partial<Table["contract"]> = {},
) {
  const history = cards
    .split(" ")
    .filter(Boolean)
    .map((text) => ({
      seat: text[0] as Seat,
      action: text.slice(2),
      phase: "play" as const,
    }));
  const over = table({
    history,
    calls: 0,
    contract: { kind: "suit", level: 8, trump: "S", declarers: "NS", ...contract },
    record: { rules: "luxembourg", dealer: "W", deal: dealTo(hand), actions: [] },
  });
  return reasonFor(over, decision(history.length + 1, "play", did, best));
}

describe("reasonFor a card", () => {
  const HAND = "A2.AK32.QT32.432";

  it("finds the card that takes the trick from the opponents", () => {
    const trick = "W:5H N:6H E:QH";
    expect(cardReason(HAND, trick, "2H", "KH")?.key).toBe("takesTrick");
    expect(cardReason(HAND, "W:5H N:QH E:6H", "2H", "KH")).toBeNull();
    // Somebody behind may trump.
    expect(cardReason(HAND, "E:5H", "2H", "AH")).toBeNull();
  });

  it("finds a high card on a trick of the partner", () => {
    expect(cardReason(HAND, "W:5D N:AD E:6D", "QD", "2D")).toEqual({
      key: "partnerHas",
      seat: "N",
    });
    // The partner's card may still be beaten.
    expect(cardReason(HAND, "N:KD E:6D", "QD", "2D")?.key).toBe("tooLate");
  });

  const HEARTS_TRUMPED = "N:4H E:5S S:AH W:5H E:6C S:3C W:7C N:8C N:4C E:9C S:2C W:TC";

  it("finds a seat behind that can trump an ace or king", () => {
    // East trumped hearts. West leads the next heart, and North and East have played to it.
    const later = "E:5D S:2D W:AD N:6D W:6H N:7H E:6S";
    expect(cardReason(HAND, `${HEARTS_TRUMPED} ${later}`, "KH", "2H")).not.toMatchObject({
      key: "canBeTrumped",
    });
    const lead = "N:4H E:5S S:2H W:5H E:6C S:4C W:7C N:8C N:2D E:3D S:QD W:4D";
    expect(cardReason(HAND, lead, "AH", "3D")).toEqual({ key: "canBeTrumped", seat: "E" });
    expect(cardReason(HAND, lead, "AH", "KH")).toBeNull();
  });

  it("finds that nobody else has trumps", () => {
    const hand = "AKQJT98.AK32.2.3";
    const draws = [
      "S:AS W:2S N:3S E:4S",
      "S:KS W:5S N:6S E:7S",
      "S:3C W:AC N:4C E:5C",
      "W:7D N:8D E:9D S:QS",
    ].join(" ");
    const alone = { kind: "abondance", level: 9, declarers: "S" };
    expect(cardReason(hand, draws, "JS", "AH", alone)?.key).toBe("drawsNothing");
    expect(cardReason(hand, draws, "2D", "AH", alone)?.key).toBe("safeNow");
    expect(cardReason(hand, "S:AS W:2S N:3S E:4S", "JS", "AH", alone)).toBeNull();
  });

  it("finds the highest card of a suit that is thrown away", () => {
    const hand = "2.AJT2.AKQ2.AKQ2";
    // South has no spades in a contract without trumps, and gives up the only high heart.
    const noTrumps = { kind: "slam", level: 13, trump: null, declarers: "E" };
    const spades = "E:AS S:2S W:3S N:4S E:KS";
    expect(cardReason(hand, spades, "AH", "2H", noTrumps)?.key).toBe("thrownAway");
    // South keeps king and queen, which are as good as the ace.
    expect(cardReason(hand, spades, "AD", "2D", noTrumps)?.key).toBe("tooLate");
  });

  it("finds a trick of the partner that is not sure yet", () => {
    const alone = { kind: "solo", declarers: "E" };
    expect(cardReason(HAND, "W:JH", "2H", "AH", alone)).toBeNull();
    expect(cardReason("A2.A32.QT32.5432", "N:QS E:3S", "2S", "AS")?.key).toBe("notSafe");
  });

  it("finds a trump under a higher one", () => {
    const hand = "T52.AK432.QT432.";
    const trick = "W:5C N:6C E:9S";
    expect(cardReason(hand, trick, "5S", "2H")).toEqual({ key: "trumpWasted", winner: "9S" });
    expect(cardReason(hand, trick, "TS", "2H")).toBeNull();
  });

  it("finds leads of a declarer that draw trumps or are sure", () => {
    const alone = { kind: "solo", level: 6, declarers: "S" };
    expect(cardReason("AK8765.AK.432.32", "", "2D", "AS", alone)).toEqual({
      key: "drawTrumps",
      tricks: 7,
    });
    const noTrumps = { kind: "slam", level: 13, trump: null, declarers: "S" };
    expect(cardReason(HAND, "", "2D", "AH", noTrumps)?.key).toBe("sureLead");
    expect(cardReason(HAND, "", "AS", "AH", noTrumps)).toBeNull();
  });

  it("finds tricks that defenders take from a misère", () => {
    const misere = { kind: "misere", level: null, trump: null, declarers: "N" };
    expect(cardReason(HAND, "N:9D E:5D", "TD", "3D", misere)).toEqual({
      key: "leaveIt",
      seat: "N",
    });
    expect(cardReason(HAND, "E:9D", "TD", "3D", misere)).toBeNull();
  });

  it("finds the cheaper card that takes the trick", () => {
    expect(cardReason("A2.AQ32.QT32.432", "W:5H N:6H E:7H", "AH", "QH")?.key).toBe("cheaper");
    expect(cardReason(HAND, "W:5H N:6H E:7H", "AH", "KH")).toBeNull();
  });

  it("finds cards that stay below in a misère", () => {
    const misere = { kind: "misere", level: null, trump: null, declarers: "S" };
    const reason = { winner: "9D" };
    expect(cardReason(HAND, "E:9D", "TD", "3D", misere)).toEqual({ key: "staysBelow", ...reason });
    expect(cardReason(HAND, "W:9D N:4D E:5D", "TD", "3D", misere)).toEqual({
      key: "sureToTake",
      ...reason,
    });
    expect(cardReason(HAND, "E:9D", "2D", "3D", misere)?.key).toBe("ridOf");
    expect(cardReason(HAND, "E:9D", "3D", "2D", misere)).toBeNull();
    expect(cardReason(HAND, "", "AH", "2H", misere)?.key).toBe("leadTakes");
    expect(cardReason(HAND, "", "AH", "AS", misere)).toBeNull();
  });

  it("says nothing before the card that names trumps", () => {
    expect(cardReason(HAND, "", "AH", "2S", { kind: "troel" })).toBeNull();
  });
});
