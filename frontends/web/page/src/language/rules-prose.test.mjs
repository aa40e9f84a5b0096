// The rules in words, for the rule sets of the library in ../../../assets.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { Troel } from "../../../assets/troel.mjs";
import { houseContracts } from "../match/house-contracts";
import { factsOf, ruleFileOf, unpackHouseRules } from "../match/house-rules";
import { explanation, pointsDetails, ruleSections, signs } from "./rules-prose";
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
/** Returns the rules of packed house rules. */
const houseOf = (packed) =>
  table.do({ type: "rules", rules: "club", rule_file: ruleFileOf(packed) })[0];

const speechOf = (language, rules) => new Speech(language, rules.rules, "auto", rules.turn_up);
const sectionsOf = (rules, language = "en", packed = "") => {
  const speech = speechOf(language, rules);
  return ruleSections(speech, rules, factsOf(speech, rules.rules, packed));
};
const textOf = (rules, title, packed) =>
  sectionsOf(rules, "en", packed).find((section) => section.title === title)?.text;
const plain = (text) => text.replaceAll("\u00a0", " ");
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
          .calls.map(({ name, text }) => [name, plain(text)]),
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

  it("says of house rules what their switches say", () => {
    const packed = "house=wiezen&id=club&exchange=true&share_miseres=false&misere=10/10&short=1";
    const rules = houseOf(packed);
    const special = textOf(rules, "Special here", packed);
    expect(special).toMatch(/may exchange the turn-up/);
    expect(special).not.toMatch(/same misère/);
    expect(textOf(rules, "Points", packed)).toMatch(/each further trick short costs more/);
    expect(textOf(rules, "The aim", packed)).toMatch(/^House rules, based on Wiezen\. /);
    const dutch = JSON.stringify(sectionsOf(rules, "nl", packed));
    expect(dutch).toMatch(/Huisregels, op basis van Wiezen\./);
    expect(dutch).not.toMatch(/House rules/);
  });

  it("says when an open misère is shown", () => {
    const shown = (n) => {
      const packed = `house=wiezen&id=club&open_misere_shown_after=${n}`;
      return textOf(houseOf(packed), "Special here", packed);
    };
    expect([0, 1, 3].map(shown)).toEqual([
      expect.stringContaining("before the first card"),
      expect.stringContaining("after the first trick"),
      expect.stringContaining("after 3 tricks"),
    ]);
  });

  it("says nothing of contracts that are not played", () => {
    const packed = "house=wiezen&id=club&troel-8=off&open-misere=off&suit-8=off";
    const text = JSON.stringify(sectionsOf(houseOf(packed), "en", packed));
    expect(text).not.toMatch(/troel|open misère|You ask in/i);
  });

  it("claims nothing of house rules that only the built-in rules are known for", () => {
    const house = { ...RULES.luxembourg, rules: "club", description: "Ours.", target: 0 };
    expect(textOf(house, "Special here")).toBeUndefined();
    expect(textOf(house, "The aim")).toMatch(/^House rules \(club\)\. .*no end/);
    expect(kindsOf(house)).not.toContain("stay");
  });
});

describe("signs", () => {
  it("has the dot of the turn-up only where a card is turned up", () => {
    expect(signs(speechOf("en", RULES.wiezen))).toHaveLength(5);
    expect(signs(speechOf("en", RULES.luxembourg))).toHaveLength(4);
  });
});

describe("pointsDetails", () => {
  const detailsOf = (packed) =>
    Object.fromEntries(
      houseContracts(unpackHouseRules(packed)).map(({ code, row }) => [
        code,
        plain(pointsDetails(speechOf("en", houseOf(packed)), row)),
      ]),
    );

  it("has the points by tricks, and what each trick short costs", () => {
    const details = detailsOf("house=iwwa&id=club&over=2");
    expect(details["suit-8"]).toBe(
      "8: +2 · 9: +4 · 10: +6 · 11: +8 · 12: +10 · 13: +24 · " +
        "each further trick short: −2, the others +2",
    );
    expect(details.misere).toBe("");
  });

  it("has the points of the others where the sides do not pay each other", () => {
    const details = detailsOf("house=luxembourg&id=club");
    expect(details.misere).toBe("the others +24 (if it fails)");
    expect(details["solo-8"]).toBe(
      "the others +16 (failed by 1 trick) · each further trick short: −3, the others +2",
    );
  });
});
