// The points of house rules, compared with those of the library in ../../../assets.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { Troel } from "../../../assets/troel.mjs";
import {
  changeOption,
  changePlayed,
  changePoints,
  houseContracts,
  largestOption,
} from "./house-contracts";
import {
  change,
  contractsOfOption,
  optionsOf,
  packHouseRules,
  ruleFile,
  unpackHouseRules,
} from "./house-rules";

const NAMES = ["luxembourg", "horesca", "wiezen", "iwwa"];
const troel = await Troel.load(
  readFileSync(new URL("../../../assets/troel.wasm", import.meta.url)),
);
const table = troel.named("rules").table();
const ask = (rules, rule_file) => table.do({ type: "rules", rules, rule_file })[0];
const rulesOf = (house) => ask(house.id, ruleFile(house));

const from = (base) => unpackHouseRules(`house=${base}&id=club`);
const contractOf = (house, code) => houseContracts(house).find((one) => one.code === code);
const linesOf = (house) => ruleFile(house).split("\n\n[[contract]]\n");
/** Returns the indices at which lists differ. */
const differences = (one, other) =>
  one.flatMap((value, i) => (JSON.stringify(value) === JSON.stringify(other[i]) ? [] : [i]));
/** Returns the codes of the contracts whose points differ according to the library. */
function changedCodes(before, after) {
  const [one, other] = [before, after].map((house) => rulesOf(house).contracts);
  return differences(one, other).map((i) => houseContracts(before)[i].code);
}

const options = NAMES.flatMap((base) =>
  optionsOf(base).map(({ key, value }) => ({ base, key, value })),
);
const contracts = NAMES.flatMap((base) =>
  houseContracts(from(base)).map(({ code }) => ({ base, code })),
);
/** Returns another value that an option can have. */
const other = (value) => ({ true: "false", false: "true", 0: "1" })[value] ?? String(value - 1);

describe("without changes", () => {
  it.each(NAMES)("the rules are those of %s", (base) => {
    const { contracts, turn_up, target } = rulesOf(from(base));
    expect({ contracts, turn_up, target }).toEqual(
      expect.objectContaining({
        contracts: ask(base).contracts,
        turn_up: ask(base).turn_up,
        target: ask(base).target,
      }),
    );
  });
});

describe("the points of the editor", () => {
  /** Points for one member of a pair, or for a lone player who has three times as much. */
  const factorOf = ({ turn_up }, kind) => (turn_up && !["suit", "troel"].includes(kind) ? 3 : 1);
  it.each([...NAMES, "wiezen&short=2&over=3&troel_short=1", "iwwa&over=4&short=1&troel_over=0"])(
    "are those of the library under %s",
    (packed) => {
      const house = unpackHouseRules(`id=club&house=${packed}`);
      const rules = rulesOf(house);
      const rows = houseContracts(house).map(({ row }) => row);
      rules.contracts.forEach(({ kind, level, points }, i) => {
        const factor = factorOf(rules, kind);
        const ours = new Map(
          rows[i].points.map(([tricks, own, others]) => [tricks, [own, others]]),
        );
        const theirs = points.filter(([tricks]) => ours.has(tricks));
        expect(theirs.length).toBeGreaterThan(1);
        for (const [tricks, own, others] of theirs)
          expect([kind, level, tricks, own, others]).toEqual([
            kind,
            level,
            tricks,
            ours.get(tricks)[0] * factor,
            ours.get(tricks)[1],
          ]);
      });
    },
  );
});

describe("a switch changes only what it names", () => {
  it.each(options)("$key of $base", ({ base, key, value }) => {
    const before = from(base);
    const after = changeOption(before, key, other(value));
    expect(changedCodes(before, after)).toEqual(contractsOfOption(base, key));
    // Options without points are one line of the head.
    const heads = [before, after].map((house) => linesOf(house)[0].split("\n"));
    const isByTricks = contractsOfOption(base, key).length > 0;
    const changed = differences(heads[1], heads[0]);
    expect(changed).toHaveLength(isByTricks ? 0 : 1);
    expect(changeOption(after, key, value)).toEqual(before);
  });

  it.each(contracts)("$code of $base", ({ base, code }) => {
    const before = from(base);
    const { made, short } = contractOf(before, code);
    const after = changePoints(before, contractOf(before, code), made + 1, short + 2);
    expect(changedCodes(before, after)).toEqual([code]);
    expect(contractOf(after, code)).toMatchObject({ made: made + 1, short: short + 2 });
    const without = changePlayed(before, code, false);
    const others = houseContracts(before).filter((one) => one.code !== code);
    expect(rulesOf(without).contracts).toHaveLength(others.length);
    expect(changePlayed(without, code, true)).toEqual(before);
  });
});

describe("changeOption", () => {
  it("keeps what one trick short costs", () => {
    const house = changeOption(from("luxembourg"), "short", "6");
    expect(contractOf(house, "suit-8")).toMatchObject({ short: 10, eachShort: 6 });
    const points = contractOf(house, "suit-8").row.points.filter(([tricks]) => tricks < 8);
    expect(points).toEqual([
      [5, -22, 22],
      [6, -16, 16],
      [7, -10, 10],
    ]);
  });

  it("goes no further than one trick short costs", () => {
    expect(largestOption(from("wiezen"), "short")).toBe(2);
    expect(largestOption(from("wiezen"), "troel_short")).toBe(4);
    expect(largestOption(from("iwwa"), "over")).toBe(10000);
    const without = change(from("iwwa"), "alone-5", "off");
    expect(largestOption(without, "short")).toBe(6);
  });
});

it("reads an older address", () => {
  const house = unpackHouseRules("house=wiezen&id=club&short=2&misere=8/9");
  expect(contractOf(house, "suit-8")).toMatchObject({ made: 2, short: 4, eachShort: 2 });
  expect(contractOf(house, "misere")).toMatchObject({ made: 8, short: 9 });
  expect(unpackHouseRules(packHouseRules(house))).toEqual(house);
});
