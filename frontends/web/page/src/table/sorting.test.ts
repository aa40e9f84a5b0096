import { describe, expect, it } from "vitest";

import type { Suit } from "../messages/messages";
import { calls, table } from "../testing/tables";
import { dealtSuits, sortedHand, suitOrder } from "./sorting";

/** Returns the order of these suits without those that the hand lacks. */
const order = (held: string, trump: Suit | null = null) =>
  [...suitOrder(new Set(held), trump)].filter((suit) => held.includes(suit)).join("");

describe("suitOrder", () => {
  it("has black and red suits in turn", () => {
    expect(order("SHCD")).toBe("SHCD");
    expect(order("SCD")).toBe("SDC");
    expect(order("SHD")).toBe("HSD");
    expect(order("SC")).toBe("SC");
  });

  it("begins with the trumps", () => {
    expect(order("SHCD", "S")).toBe("SHCD");
    expect(order("SHCD", "C")).toBe("CHSD");
    expect(order("SHCD", "D")).toBe("DSHC");
    expect(order("SCD", "D")).toBe("DSC");
    expect(order("SHD", "S")).toBe("SHD");
    expect(order("SHD", "D")).toBe("DSH");
    expect(order("HD", "D")).toBe("DH");
  });

  it("ignores trumps that the hand lacks", () => {
    expect(order("SCD", "H")).toBe("SDC");
  });

  it("lists every suit", () => {
    expect([...suitOrder(new Set("H"), null)].sort().join("")).toBe("CDHS");
  });
});

describe("dealtSuits", () => {
  it("does not change while cards are played", () => {
    const before = table({ hand: ["AS", "2H", "3D"] });
    const history = [...calls("S:pass"), { seat: "S", action: "2H", phase: "play" } as const];
    const after = table({ hand: ["AS", "3D"], history });
    expect(dealtSuits(after)).toEqual(dealtSuits(before));
  });
});

describe("sortedHand", () => {
  it("sorts by suit, high cards first", () => {
    expect(sortedHand(["2S", "AD", "TS", "JS", "9H"])).toEqual(["JS", "TS", "2S", "9H", "AD"]);
    expect(sortedHand(["2S", "AD", "9H"], "DSHC")).toEqual(["AD", "2S", "9H"]);
  });
});
