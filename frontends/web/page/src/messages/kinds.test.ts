import { describe, expect, it } from "vitest";

import { table } from "../testing/tables";
import { calledKinds, kindOf, offeredKinds } from "./kinds";
import type { VisibleAction } from "./messages";

const call = (seat: "N" | "E" | "S" | "W", action: string): VisibleAction => ({
  seat,
  action,
  phase: "auction",
});

describe("kindOf", () => {
  it("takes the meaning of a suit call, and the kind of others", () => {
    expect(kindOf("8S", "auction", "along")).toBe("along");
    expect(kindOf("solo-5S", "auction", "call")).toBe("alone");
    expect(kindOf("keep", "auction", "call")).toBe("keep");
  });

  it("knows the actions of an exchange", () => {
    const kinds = ["keep", "pass", "7D"].map((code) => kindOf(code, "exchange", "call"));
    expect(kinds).toEqual(["keepTurnUp", "withdraw", "card"]);
    expect(kindOf("give", "answer", "call")).toBe("give");
  });
});

describe("offeredKinds", () => {
  it("names each kind once, by the auction so far", () => {
    const legal = ["pass", "8S", "8H", "9H", "solo-6S", "solo-7S"];
    const offered = offeredKinds(table({ legal, history: [call("W", "8H")] }));
    expect(offered).toEqual(["pass", "ask", "along", "solo"]);
  });

  it("has nothing to explain about cards of the hand", () => {
    expect(offeredKinds(table({ phase: "play", legal: ["8S"] }))).toEqual([]);
    expect(offeredKinds(table({ phase: "discard", legal: ["8S"] }))).toEqual([]);
  });
});

describe("calledKinds", () => {
  it("begins with the announcement, and leaves out cards that were laid aside", () => {
    const aside: VisibleAction = { seat: "E", action: "-", phase: "discard" };
    const history = [call("W", "8H"), call("N", "8H"), call("E", "pass"), aside];
    const before = table({ history, calls: 4, announces: "trou" });
    expect(calledKinds(before)).toEqual(["trou", "ask", "along", "pass"]);
  });
});
