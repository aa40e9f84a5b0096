import { describe, expect, it } from "vitest";

import { Speech } from "../language/speech";
import type { Table } from "../messages/messages";
import { calls, RULES, table } from "../testing/tables";
import { arrangeOffers, groupBySuit, listOffers, needsConfirmation, type Offer } from "./offers";

const speech = new Speech("en", "luxembourg", "auto", false);

const offersOf = (legal: string, changes: Partial<Table> = {}) =>
  listOffers(table({ legal: legal.split(" "), ...changes }), RULES, speech);

const codes = (offers: Offer[]) => offers.map(({ code }) => code).join(" ");

/** Arranges offers; returns the codes of each part. */
function layoutOf(legal: string, changes: Partial<Table> = {}) {
  const { buttons, suitGroups, chips } = arrangeOffers(offersOf(legal, changes));
  return {
    buttons: codes(buttons),
    suitGroups: suitGroups.map(codes),
    chips: Object.fromEntries(chips.map(({ kind, offers }) => [kind, codes(offers)])),
  };
}

describe("listOffers", () => {
  it("names a suit call by its meaning, with the points of its level", () => {
    const history = calls("W:8H N:pass E:pass");
    expect(offersOf("8S 8H", { history })).toEqual([
      { code: "8S", kind: "ask", label: "ask 8 ♠", points: { made: 3, failed: -3 } },
      { code: "8H", kind: "along", label: "go along 8 ♥", points: { made: 3, failed: -3 } },
    ]);
  });

  it("offers no points for a contract that the rules do not list", () => {
    expect(offersOf("slam-S")[0]).toMatchObject({ kind: "slam", points: undefined });
  });

  it("leaves cards of the hand to the hand, and offers cards to ask for", () => {
    const hand = ["AS"];
    expect(codes(offersOf("AS KS", { phase: "exchange", hand }))).toBe("KS");
    expect(codes(offersOf("AS KS", { phase: "discard", hand }))).toBe("");
    expect(codes(offersOf("8S", { phase: "auction", hand: ["8S"] }))).toBe("8S");
  });

  it("says what is kept", () => {
    const label = (changes: Partial<Table>) => offersOf("keep", changes)[0].label;
    expect(label({ phase: "exchange" })).toBe("keep the turn-up");
    expect(label({ announces: "troel" })).toBe("keep troel");
    expect(label({ announces: "trou" })).toBe("keep");
  });
});

describe("arrangeOffers", () => {
  it("puts the lowest call of each suit on the table, and higher ones behind a chip", () => {
    expect(layoutOf("pass 8S 8H 9S 9H solo-6S")).toEqual({
      buttons: "pass",
      suitGroups: ["8S 8H"],
      chips: { ask: "9S 9H", solo: "solo-6S" },
    });
  });

  it("gives a suit call without a companion a button", () => {
    const history = calls("W:8H N:pass E:pass");
    expect(layoutOf("pass 8S 8H 8D", { history })).toEqual({
      buttons: "pass 8H",
      suitGroups: ["8S 8D"],
      chips: {},
    });
  });

  it("groups suit calls of one level only", () => {
    expect(layoutOf("8S 9H 9D").suitGroups).toEqual(["9H 9D"]);
    expect(layoutOf("8S 9H 9D").buttons).toBe("8S");
  });

  it("shares chips among misères and among slams", () => {
    const { chips } = layoutOf("small-misere misere piccolo slam-S small-slam-S solo-slim");
    expect(chips).toEqual({
      misere: "small-misere misere piccolo",
      slam: "slam-S small-slam-S solo-slim",
    });
  });

  it("puts keep before the other calls", () => {
    expect(layoutOf("pass trump-S keep").buttons).toBe("keep pass trump-S");
  });
});

describe("groupBySuit", () => {
  it("separates kinds, levels and points", () => {
    const groups = groupBySuit(offersOf("solo-6S solo-6H solo-7S slam-S slam-NT"));
    expect(groups.map(codes)).toEqual(["solo-6S solo-6H", "solo-7S", "slam-S slam-NT"]);
  });
});

describe("needsConfirmation", () => {
  const isAsked = (code: string) => needsConfirmation(offersOf(code)[0], RULES);

  it("asks before a call with more than three times the cheapest stake", () => {
    expect(isAsked("8S")).toBe(false);
    expect(isAsked("solo-6S")).toBe(true);
    expect(isAsked("misere")).toBe(true);
  });

  it("asks nothing where the stake is not known or not higher", () => {
    expect(isAsked("pass")).toBe(false);
    const offer = { code: "", kind: "", label: "", points: { made: 9, failed: -9 } };
    expect(needsConfirmation(offer, RULES)).toBe(false);
    expect(needsConfirmation({ ...offer, points: { made: 9, failed: -10 } }, RULES)).toBe(true);
  });
});
