import { describe, expect, it } from "vitest";

import { Speech } from "../language/speech";
import type { DailyPlay } from "../match/storage";
import { table } from "../testing/tables";
import { botText, shareLine } from "./daily-end";

const english = new Speech("en", "luxembourg", "auto", false);
const lineOf = (play: object, speech = english) =>
  shareLine(
    { begun: "2026-11-29", actions: ["8S"], points: 8, ...play },
    "2026-11-29",
    "luxembourg",
    speech,
  );

it("writes a result in one line, without a card", () => {
  expect(lineOf({ costly: 0, stars: 3 })).toBe(
    "Troel · 29 Nov 2026 · Lëtzebuerg · +8, no costly decision ★★★",
  );
  expect(lineOf({ points: -3, costly: 2, stars: 1 })).toBe(
    "Troel · 29 Nov 2026 · Lëtzebuerg · −3, 2 costly decisions ★☆☆",
  );
});

it("leaves the decisions out until they are judged", () => {
  expect(lineOf({})).toBe("Troel · 29 Nov 2026 · Lëtzebuerg · +8");
});

it("uses the language of the person", () => {
  const german = new Speech("de", "luxembourg", "auto", false);
  expect(lineOf({ costly: 1, stars: 2 }, german)).toContain("+8, 1 teure Entscheidung ★★☆");
});

describe("botText", () => {
  const textOf = (botContract?: object | null, bot = 10) =>
    botText({ begun: "", actions: [], bot, botContract } as DailyPlay, table(), english);
  const contract = (declarers: string) => ({ kind: "suit", level: 8, trump: "S", declarers });

  it("names the contract, with the partner or as an opponent", () => {
    expect(textOf(contract("NS"))).toMatch(/^The bot with your cards: 8 ♠ with \w+, \+10\.$/);
    expect(textOf(contract("EW"), -7)).toBe("The bot with your cards: against 8 ♠, −7.");
    expect(textOf({ kind: "misere", level: null, trump: null, declarers: "S" })).toMatch(/: mis/);
    expect(textOf(null, 0)).toBe("The bot with your cards: everybody passed, 0.");
  });

  it("has only points where an older version stored the result", () => {
    expect(textOf()).toBe("The bot with your cards: +10.");
  });
});
