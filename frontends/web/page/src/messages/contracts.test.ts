import { describe, expect, it } from "vitest";

import { RULES, table } from "../testing/tables";
import { certainContract, cheapestStake, contractStakes, currentPoints } from "./contracts";
import type { Contract, Table } from "./messages";

describe("contractStakes", () => {
  it("compares the level of a contract with one trick less", () => {
    expect(contractStakes(RULES, "solo", 6)).toMatchObject({ made: 15, failed: -15 });
  });

  it("compares no trick of a misère with one trick", () => {
    expect(contractStakes(RULES, "misere", null)).toMatchObject({ made: 21, failed: -21 });
  });

  it("uses the only row of a kind for another level", () => {
    expect(contractStakes(RULES, "troel", 9)).toMatchObject({ made: 6, failed: -6 });
  });

  it("has none for a contract that the rules do not list", () => {
    expect(contractStakes(RULES, "slam", null)).toBeNull();
    expect(contractStakes(null, "solo", 6)).toBeNull();
  });
});

describe("cheapestStake", () => {
  it("is the least difference of the contract table", () => {
    expect(cheapestStake(RULES)).toBe(6);
  });
});

describe("certainContract", () => {
  const level = (changes: Partial<Table>, trump: Contract["trump"] = null, level = 8) => {
    const contract: Contract = { kind: "troel", level, trump, declarers: "NS" };
    return certainContract(table({ contract, ...changes }))?.level;
  };
  const led = (card: string): Partial<Table> => ({ trick: [{ seat: "N", card }] });

  it("does not know the tricks of a troel before the lead", () => {
    expect(level({})).toBeNull();
    // A rule that prescribes the lead settles them.
    expect([level({}, "H"), level({}, "H", 9)]).toEqual([8, 9]);
  });

  it("knows them from the card led, except a heart that may have called the partner", () => {
    expect([level(led("AS"), "S"), level(led("2S"), "S")]).toEqual([8, 9]);
    expect(level(led("KH"), "H")).toBeNull();
  });

  it("takes them from the table after the first trick", () => {
    expect(level({ tricks: { N: 1, E: 0, S: 0, W: 0 } }, "S")).toBe(8);
  });
});

describe("currentPoints", () => {
  const points = (contract: Contract, taken: number, played: number) =>
    currentPoints(contractStakes(RULES, contract.kind, contract.level)!, contract, taken, played);
  const suit: Contract = { kind: "suit", level: 8, trump: "S", declarers: "NS" };

  it("counts a contract as made while it can be made", () => {
    expect(points(suit, 0, 0)).toBe(3);
    expect(points(suit, 0, 5)).toBe(3);
  });

  it("counts the tricks that are still possible once it cannot be made", () => {
    expect(points(suit, 0, 6)).toBe(-3);
    expect(points(suit, 0, 7)).toBe(-4);
  });

  it("counts overtricks as soon as they are taken", () => {
    expect(points(suit, 9, 9)).toBe(5);
  });

  it("stays in the table with more tricks than it lists", () => {
    expect(points(suit, 12, 12)).toBe(7);
  });

  it("counts the tricks of a troel from its own level", () => {
    const troel: Contract = { kind: "troel", level: 9, trump: "S", declarers: "NS" };
    expect(points(troel, 10, 10)).toBe(8);
    expect(points(troel, 0, 5)).toBe(-6);
  });

  it("counts a misère as failed after its first trick", () => {
    const misere: Contract = { kind: "misere", level: null, trump: null, declarers: "S" };
    expect(points(misere, 0, 4)).toBe(21);
    expect(points(misere, 1, 4)).toBe(-21);
  });
});
