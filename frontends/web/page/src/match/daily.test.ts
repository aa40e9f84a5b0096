import { beforeEach, describe, expect, it, vi } from "vitest";
import { cheapestStake } from "../messages/contracts";
import type { BySeat, Decision } from "../messages/messages";
import { calls, RULES, table } from "../testing/tables";
import {
  dailyMatch,
  dailyPlay,
  daysInRow,
  isDailyDate,
  isOpenDaily,
  noteBotResult,
  noteDaily,
  noteDailyDecisions,
  starsFor,
} from "./daily";
import { updateMatch } from "./match";

const DAY = "2026-01-15";
const CALLS = calls("W:pass N:pass E:8H S:pass");
const scores: BySeat<number> = { N: 0, E: -3, S: 8, W: -3 };

/** Plays a daily deal up to these calls, or to its end. */
function play(date: string, rules: string, changes: object) {
  const match = dailyMatch(date, rules);
  const seen = table({ history: CALLS, rules, ...changes });
  updateMatch(match, seen);
  noteDaily(match, seen);
  return match;
}
const finish = (date: string, rules = "luxembourg") => play(date, rules, { scores, turn: null });

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date(`${DAY}T12:00:00Z`));
});

describe("daily deal", () => {
  it("has its date as seed, and the usual bots", () => {
    expect(dailyMatch(DAY, "wiezen")).toMatchObject({ seed: 20260115, bots: {}, deals: [] });
  });

  it("goes on where it was left, under each rule set", () => {
    play(DAY, "wiezen", {});
    expect(dailyMatch(DAY, "wiezen").deals).toEqual([["pass", "pass", "8H", "pass"]]);
    expect(dailyMatch(DAY, "iwwa").deals).toEqual([]);
  });

  it("keeps the first result", () => {
    expect(isOpenDaily(play(DAY, "luxembourg", {}))).toBe(true);
    const match = finish(DAY);
    expect(isOpenDaily(match)).toBe(false);
    const again = table({
      history: calls("W:pass N:pass E:8H S:8H"),
      scores: { ...scores, S: 30 },
    });
    updateMatch(match, again);
    noteDaily(match, again);
    expect(dailyPlay(DAY, "luxembourg")?.points).toBe(8);
    expect(dailyMatch(DAY, "luxembourg").deals).toEqual([["pass", "pass", "8H", "pass"]]);
  });

  it("notes the decisions and the bot once, and not those of another play", () => {
    const decision = { at: 4, seat: "S", phase: "auction", did: "pass", best: "8H", bot: "8H" };
    const costly = { ...decision, points: 4, candidates: [] } as unknown as Decision;
    const match = finish(DAY);
    const seen = table({ history: CALLS });
    const stake = cheapestStake(RULES);
    const replayed = { ...match, deals: [["pass"]] };
    noteDailyDecisions(replayed, seen, [], stake);
    expect(dailyPlay(DAY, "luxembourg")?.stars).toBeUndefined();
    seen.record = { rules: "luxembourg", dealer: "S", deal: "N:... ... AKQ... ..." };
    noteDailyDecisions(match, seen, [costly], stake);
    noteDailyDecisions(match, seen, [], stake);
    noteBotResult(match, { points: 5, contract: null, results: [] });
    expect(dailyPlay(DAY, "luxembourg")).toMatchObject({ costly: 1, stars: 1, bot: 5, points: 8 });
  });
});

describe("isDailyDate", () => {
  it("refuses dates to come, and texts that are no dates", () => {
    const dates = [DAY, "2026-01-16", "2026-13-01", "2020-01-01", "x"];
    expect(dates.map(isDailyDate)).toEqual([true, false, false, false, false]);
  });
});

describe("starsFor", () => {
  it("depends on the worst grade", () => {
    expect(starsFor([])).toBe(3);
    expect(starsFor(["best", "good", null])).toBe(3);
    expect(starsFor(["best", "inaccuracy"])).toBe(2);
    expect(starsFor(["inaccuracy", "blunder"])).toBe(1);
  });
});

describe("daysInRow", () => {
  it("counts days up to yesterday, once for all rule sets", () => {
    for (const day of ["2026-01-11", "2026-01-13", "2026-01-14"]) {
      vi.setSystemTime(new Date(`${day}T12:00:00Z`));
      finish(day);
      finish(day, "wiezen");
    }
    expect(daysInRow()).toBe(2);
    vi.setSystemTime(new Date(`${DAY}T12:00:00Z`));
    expect(daysInRow()).toBe(2);
    finish(DAY);
    expect(daysInRow()).toBe(3);
    vi.setSystemTime(new Date("2026-01-17T12:00:00Z"));
    expect(daysInRow()).toBe(0);
  });

  it("does not count a deal that was played on a later day, or not to its end", () => {
    finish("2026-01-14");
    play(DAY, "luxembourg", {});
    expect(daysInRow()).toBe(0);
  });
});
