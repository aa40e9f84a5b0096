import { describe, expect, it } from "vitest";

import {
  change,
  contractsOf,
  type HouseRules,
  idProblem,
  optionsOf,
  packHouseRules,
  ruleFile,
  unpackHouseRules,
} from "./house-rules";
import { BASES } from "./rule-lines";

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

  it("pays for tricks over and short in contracts to ask and alone, and in troel", () => {
    const file = ruleFile(changed("wiezen", { over: "2", troel_over: "3", troel_short: "1" }));
    for (const start of ['kind = "suit"', 'kind = "alone"']) {
      expect(block(file, start)).toContain("made = [2]\novertrick = 2\nfailed = 2");
    }
    expect(block(file, 'kind = "troel"')).toMatch(/overtrick = 3\nfailed = 4\nundertrick = 1/);
  });

  it("keeps what all tricks pay in addition", () => {
    const file = ruleFile(changed("iwwa", { over: "2", "suit-8": "4/4" }));
    expect(block(file, 'kind = "suit"')).toContain("made = [4, 6, 8, 10, 12, 28]\n");
    expect(block(file, 'kind = "alone"')).toContain("made = [2, 4, 6, 8, 10, 12, 14, 16, 36]\n");
    expect(block(file, 'kind = "troel"')).toContain("overtrick = 2\nall_tricks_factor = 2\n");
    const suit = block(ruleFile(changed("luxembourg", { "suit-8": "9/7" })), 'kind = "suit"');
    expect(suit).toContain("made = [9, 12, 15, 18, 21, 32]\n");
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

describe("idProblem", () => {
  it("refuses names of built-in rules, and characters that a rule file may not have", () => {
    expect(["club", "Club_2-x"].map(idProblem)).toEqual([null, null]);
    expect(idProblem("wiezen")).toBe("builtIn");
    const wrong = ["", "-a", "my club", "é", "a".repeat(65)];
    expect(new Set(wrong.map(idProblem))).toEqual(new Set(["characters"]));
  });
});

it("lists contracts with their points", () => {
  expect(contractsOf("wiezen").slice(0, 2)).toEqual([
    { code: "suit-8", value: "2/2" },
    { code: "alone-5", value: "2/2" },
  ]);
});
