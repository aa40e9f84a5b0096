// The rules in words, for the rule sets of the library in ../../../assets.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { Troel } from "../../../assets/troel.mjs";
import { explanation, ruleSections, signs } from "./rules-prose";
import { Speech } from "./speech";
import { LANGUAGE_NAMES } from "./words";

const troel = await Troel.load(
  readFileSync(new URL("../../../assets/troel.wasm", import.meta.url)),
);
const table = troel.named("rules").table();
const NAMES = ["luxembourg", "horesca", "wiezen", "iwwa"];
const RULES = Object.fromEntries(
  NAMES.map((rules) => [rules, table.do({ type: "rules", rules })[0]]),
);
table.free();

const speechOf = (language, rules) => new Speech(language, rules.rules, "auto", rules.turn_up);
const sectionsOf = (rules, language = "en") => ruleSections(speechOf(language, rules), rules);
const textOf = (rules, title) => sectionsOf(rules).find((section) => section.title === title)?.text;
const kindsOf = (rules) =>
  sectionsOf(rules)
    .flatMap(({ calls }) => calls ?? [])
    .map(({ kind }) => kind);

describe("ruleSections", () => {
  const all = NAMES.flatMap((name) =>
    Object.keys(LANGUAGE_NAMES).map((language) => [name, language]),
  );
  it.each(all)("explains every contract of %s in %s, and leaves no gap", (name, language) => {
    const rules = RULES[name];
    for (const { kind } of rules.contracts) {
      expect(explanation(speechOf(language, rules), kind)).not.toBe("");
    }
    const found = JSON.stringify(sectionsOf(rules, language));
    expect(found).not.toMatch(/\{\}|\{[a-z]|undefined| {2}/);
    expect(sectionsOf(rules, language)).toHaveLength(6);
  });

  it("lists the calls of each auction", () => {
    expect(kindsOf(RULES.luxembourg)).toEqual(
      expect.arrayContaining(["wait", "stay", "raise", "piccolo"]),
    );
    expect(kindsOf(RULES.horesca)).not.toContain("stay");
    expect(kindsOf(RULES.wiezen)).toEqual(expect.arrayContaining(["ask", "along", "alone"]));
    expect(kindsOf(RULES.wiezen)).not.toContain("wait");
  });

  it("reads the points from the contract table", () => {
    expect(textOf(RULES.iwwa, "Points")).toMatch(/pay each other.*beyond.*each further/);
    expect(textOf(RULES.wiezen, "Points")).toMatch(/pay each other.*beyond.*costs the same/);
    expect(textOf(RULES.horesca, "Points")).toMatch(/others score nothing.*beyond.*each further/);
  });

  it("lists the points by the number of tricks", () => {
    const listOf = (rules) =>
      Object.fromEntries(
        sectionsOf(rules)
          .find(({ title }) => title === "Points")
          .calls.map(({ name, text }) => [name, text]),
      );
    const luxembourg = listOf(RULES.luxembourg);
    expect(luxembourg["8 ♠♣♦♥"]).toBe(
      "8: +7 · 9: +10 · 10: +13 · 11: +16 · 12: +19 · 13: +30 · " +
        "each further trick short: −3, the others +3",
    );
    expect(luxembourg["solo 6"]).toMatch(
      /^6: \+12 · 7: \+15 · 8–13: \+18 · .* −3, the others \+2$/,
    );
    expect(luxembourg["trou 9"]).toBe("9–12: +16 · 13: +30");
    expect(luxembourg["abondance 9"]).toBeUndefined();
    expect(listOf(RULES.wiezen)["8 ♠♣♦♥"]).not.toContain("short");
  });

  it("claims nothing of house rules that only the built-in rules are known for", () => {
    const house = { ...RULES.luxembourg, rules: "club", description: "Ours.", target: 0 };
    expect(textOf(house, "Special here")).toBeUndefined();
    expect(textOf(house, "The aim")).toMatch(/^Ours\. .*no end/);
    expect(kindsOf(house)).not.toContain("stay");
  });
});

describe("signs", () => {
  it("has the dot of the turn-up only where a card is turned up", () => {
    expect(signs(speechOf("en", RULES.wiezen))).toHaveLength(5);
    expect(signs(speechOf("en", RULES.luxembourg))).toHaveLength(4);
  });
});
