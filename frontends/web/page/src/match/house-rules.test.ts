import { describe, expect, it } from "vitest";

import {
  BASES,
  change,
  contractsOf,
  type HouseRules,
  isHouseId,
  optionsOf,
  packHouseRules,
  ruleFile,
  unpackHouseRules,
} from "./house-rules";

const from = (base: string): HouseRules => ({ base, id: "club", changes: {} });
const changed = (base: string, changes: Record<string, string>) =>
  Object.entries(changes).reduce((house, [key, value]) => change(house, key, value), from(base));
/** Returns the lines of a contract in a rule file. */
const block = (file: string, start: string) =>
  file.split("\n\n").find((part) => part.startsWith(`[[contract]]\n${start}`)) ?? "";

describe("ruleFile", () => {
  it.each(Object.keys(BASES))("of %s without changes differs in name and description", (base) => {
    const plain = (text: string) => text.replace(/^(id|description|#).*\n/gm, "").trim();
    expect(plain(ruleFile(from(base)))).toBe(plain(BASES[base]));
    expect(ruleFile(from(base))).toContain('id = "club"\n');
  });

  it("has changed options, also those that the built-in file leaves out", () => {
    const file = ruleFile(changed("wiezen", { match_target: "50", exchange: "true" }));
    const head = file.split("[[contract]]")[0];
    expect(head).toContain("match_target = 50\n");
    expect(head).toContain("exchange = true\n");
    expect(ruleFile(changed("wiezen", { gather: "true" }))).toContain('deal = "gather"\n');
  });

  it("lacks contracts that are not played", () => {
    const file = ruleFile(changed("wiezen", { "abondance-10": "off" }));
    expect(block(file, 'kind = "abondance"\nlevel = 10')).toBe("");
    expect(block(file, 'kind = "abondance"\nlevel = 9')).toContain("made = [5]");
  });

  it("changes the points for overtricks and of defenders with those of a contract", () => {
    const file = ruleFile(changed("luxembourg", { "solo-6": "10/24" }));
    const solo = block(file, 'kind = "solo"\nlevel = 6');
    expect(solo).toContain("made = [10, 13, 16]\nfailed = 24\n");
    expect(solo).toContain("opponents = 16\n");
    const misere = block(ruleFile(changed("luxembourg", { misere: "36/18" })), 'kind = "misere"');
    expect(misere).toContain("opponents = 12\nopponents_several = 18");
  });

  it("pays for tricks over and short in contracts to ask and alone", () => {
    const file = ruleFile(changed("iwwa", { over: "2", short: "3", "suit-8": "4/4" }));
    for (const start of ['kind = "suit"', 'kind = "alone"']) {
      expect(block(file, start)).toMatch(/made = \[\d\]\n/);
      expect(block(file, start)).toContain("undertrick = 3");
      expect(block(file, start)).toContain("overtrick = 2");
    }
    expect(block(file, 'kind = "suit"')).toContain("made = [4]\nfailed = 4");
  });
});

describe("ruleFile of Luxembourg", () => {
  it("loses for each trick short in proportion, except where all tricks are needed", () => {
    const file = ruleFile(changed("luxembourg", { short: "6" }));
    expect(block(file, 'kind = "suit"\nlevel = 8')).toContain("undertrick = 6\n");
    const solo = block(file, 'kind = "solo"\nlevel = 6');
    expect(solo).toContain("undertrick = 6\nopponents = 8\nopponents_undertrick = 4");
    expect(block(file, 'kind = "suit"\nlevel = 13')).not.toContain("undertrick");
  });
});

describe("optionsOf", () => {
  it("has the values of the built-in rules, and only options of their auction", () => {
    const values = (base: string) =>
      Object.fromEntries(optionsOf(base).map(({ key, value }) => [key, value]));
    expect(values("luxembourg")).toMatchObject({ match_target: "100", stay: "true" });
    expect(values("luxembourg").exchange).toBeUndefined();
    expect(values("iwwa")).toMatchObject({ gather: "true", over: "1", short: "2" });
    expect(values("wiezen")).toMatchObject({ gather: "false", over: "1", short: "0" });
    expect(values("wiezen").stay).toBeUndefined();
  });
});

describe("change", () => {
  it("forgets a value that is the built-in one again", () => {
    const house = changed("wiezen", { misere: "10/10", exchange: "true" });
    expect(change(house, "misere", "7/7").changes).toEqual({ exchange: "true" });
  });

  it.each([
    ["match_target", "-1"],
    ["match_target", "true"],
    ["open_misere_shown_after", "14"],
    ["exchange", "2"],
    ["misere", "7"],
    ["misere", "7/99999"],
    ["stay", "true"],
    ["constructor", "1"],
  ])("refuses %s = %s", (key, value) => {
    expect(change(from("wiezen"), key, value)).toEqual(from("wiezen"));
  });
});

describe("unpackHouseRules", () => {
  it("reverses packHouseRules", () => {
    const house = changed("horesca", { stay: "true", piccolo: "off", "suit-8": "8/9" });
    expect(unpackHouseRules(packHouseRules(house))).toEqual(house);
  });

  it("leaves out what it does not know", () => {
    const house = unpackHouseRules("house=wiezen&id=a%20b&piccolo=off&misere=8/8&x=1");
    expect(house).toEqual({ base: "wiezen", id: "my-wiezen", changes: { misere: "8/8" } });
    expect(unpackHouseRules("house=constructor")).toBeNull();
    expect(unpackHouseRules("play")).toBeNull();
  });
});

describe("isHouseId", () => {
  it("refuses names of built-in rules, and characters that a rule file may not have", () => {
    expect(["club", "Club_2-x"].every(isHouseId)).toBe(true);
    expect(["", "-a", "my club", "wiezen", "é", "a".repeat(65)].some(isHouseId)).toBe(false);
  });
});

it("lists contracts with their points", () => {
  expect(contractsOf("wiezen").slice(0, 2)).toEqual([
    { code: "suit-8", kind: "suit", level: 8, value: "2/2" },
    { code: "alone-5", kind: "alone", level: 5, value: "2/2" },
  ]);
});
