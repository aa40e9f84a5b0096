import { describe, expect, it } from "vitest";

import { ENGLISH, LANGUAGE_NAMES, wordsOf } from "../language/words";
import type { Contract, TrickCard } from "../messages/messages";
import { calls, table } from "../testing/tables";
import { dueLesson, finishLesson, Guide } from "./guide";
import { partnerOf } from "./lesson-spots";
import { bubblesOf, builtInRules, LESSON_NAMES, lessonAfter, lessonMatch } from "./lessons";

const EIGHT_HEARTS: Contract = { kind: "suit", level: 8, trump: "H", declarers: "NS" };
const PLAYING = { phase: "play", contract: EIGHT_HEARTS } as const;
const trick = (text: string): TrickCard[] =>
  calls(text).map(({ seat, action }) => ({ seat, card: action }));

describe("Guide", () => {
  const follow = table({ ...PLAYING, trick: trick("E:JC"), hand: ["4C", "KH"] });
  const free = table({
    ...PLAYING,
    trick: trick("E:QC"),
    hand: ["KH"],
    history: calls("E:JC S:4C W:7C N:2C E:QC"),
  });

  it("speaks about the table, and says the same thing once", () => {
    const guide = new Guide("tricks", "luxembourg");
    expect(guide.bubble(follow)?.text).toBe("follow");
    expect(guide.bubble(follow)?.text).toBe("follow");
    expect(guide.bubble(free)?.text).toBe("free");
    expect(guide.bubble({ ...follow, history: free.history })).toBeNull();
  });

  it("has nothing to say at the turn of others", () => {
    expect(new Guide("tricks", "luxembourg").bubble({ ...follow, turn: "W" })).toBeNull();
  });

  it("repeats what it asks for", () => {
    const guide = new Guide("ask", "luxembourg");
    expect(guide.bubble(table())).toMatchObject({ text: "ask", wanted: ["8H"] });
    expect(guide.bubble(table({ ...PLAYING, history: calls("S:8H") }))?.text).toBe("lead");
    expect(guide.bubble(table())?.text).toBe("ask");
  });

  it("explains the auction of the rules", () => {
    expect(new Guide("ask", "wiezen").bubble(table())?.text).toBe("askTurnUp");
    const unanswered = table({ history: calls("S:8S W:pass N:pass E:pass") });
    expect(new Guide("alone", "iwwa").bubble(unanswered)?.wanted).toEqual(["solo-5S"]);
    expect(new Guide("alone", "horesca").bubble(unanswered)?.wanted).toEqual(["solo-6S"]);
  });

  it("notices whether the partner wins the trick", () => {
    const guide = new Guide("ask", "luxembourg");
    const second = { ...PLAYING, hand: ["2S", "3H"], last_trick: trick("S:AH W:2H N:3H E:4H") };
    const won = table({ ...second, trick: trick("N:KS E:9S") });
    expect(guide.bubble(won)?.text).toBe("partner");
    const ruffed = table({ ...second, trick: trick("N:KS E:2H"), history: calls("N:KS E:2H") });
    expect(guide.bubble(ruffed)).toBeNull();
  });

  it("comments on a lost misère", () => {
    const lost = table({ phase: "play", tricks: { N: 0, E: 0, S: 1, W: 0 } });
    expect(new Guide("misere", "luxembourg").bubble(lost)?.text).toBe("lost");
  });
});

describe("partnerOf", () => {
  it("is the other declarer, if the person is one of two", () => {
    expect(partnerOf(table({ contract: EIGHT_HEARTS }))).toBe("N");
    expect(partnerOf(table({ contract: { ...EIGHT_HEARTS, declarers: "EW" } }))).toBeNull();
    expect(partnerOf(table({ contract: { ...EIGHT_HEARTS, declarers: "S" } }))).toBeNull();
    expect(partnerOf(table())).toBeNull();
  });
});

describe("builtInRules", () => {
  it.each([
    ["wiezen", ["luxembourg", "wiezen"], "wiezen"],
    ["iwwa", ["luxembourg", "wiezen"], "wiezen"],
    ["horesca", ["horesca", "wiezen"], "horesca"],
    ["club", ["club", "wiezen"], "wiezen"],
    ["club", ["club"], null],
  ])("for %s among %s are %s", (chosen, playable, rules) => {
    expect(builtInRules(chosen, playable)).toBe(rules);
  });
});

describe("lessonMatch", () => {
  it("begins after the calls of the lesson, with the turn-up of the rules", () => {
    const match = lessonMatch("alone", "wiezen");
    expect(match).toMatchObject({
      side: { kind: "lesson", name: "alone" },
      seat: "S",
      record: { rules: "wiezen", turn_up: "8S" },
      deals: [["8S", "pass", "pass", "pass"]],
    });
    expect(lessonMatch("alone", "luxembourg").record).not.toHaveProperty("turn_up");
    expect(lessonMatch("ask", "luxembourg").deals).toEqual([]);
  });
});

describe("progress", () => {
  it("leads through the lessons in their order", () => {
    expect(dueLesson()).toBe("tricks");
    finishLesson("tricks");
    finishLesson("along");
    finishLesson("tricks");
    expect(dueLesson()).toBe("ask");
    for (const name of LESSON_NAMES) finishLesson(name);
    expect(dueLesson()).toBe("tricks");
    expect([lessonAfter("tricks"), lessonAfter("abondance")]).toEqual(["ask", null]);
  });
});

describe("texts", () => {
  it.each(Object.keys(LANGUAGE_NAMES))("%s has one for each bubble", (language) => {
    const { learn } = wordsOf(language);
    const missing = LESSON_NAMES.flatMap((name) => {
      const texts: Record<string, unknown> = { ...learn, ...learn.lessons[name] };
      const bubbles = ["luxembourg", "wiezen"].flatMap((rules) => bubblesOf(name, rules));
      return [...bubbles, { text: "end" }].filter(({ text }) => typeof texts[text] !== "string");
    });
    expect(missing).toEqual([]);
  });

  it.each(Object.keys(LANGUAGE_NAMES))("%s has the gaps of English", (language) => {
    const gaps = (value: unknown): unknown => {
      if (typeof value === "string") return (value.match(/\{\w*\}/g) ?? []).sort();
      const inner = Object.entries(value as object);
      return Object.fromEntries(inner.map(([key, part]) => [key, gaps(part)]));
    };
    const { door, learn } = wordsOf(language);
    const english = ENGLISH;
    expect(gaps({ door, learn })).toEqual(gaps({ door: english.door, learn: english.learn }));
  });
});
