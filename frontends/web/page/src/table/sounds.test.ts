import { describe, expect, it } from "vitest";

import type { Table } from "../messages/messages";
import { calls, table } from "../testing/tables";
import { type Moment, soundsBetween } from "./sounds";

const moment = (changes: Partial<Table>, more: Partial<Moment> = {}): Moment => ({
  table: table(changes),
  isTrickFull: false,
  isPersonsTurn: false,
  isResultShown: false,
  ...more,
});
const ASKED = calls("E:8S");
const PLAYED = [...ASKED, { seat: "W", action: "AS", phase: "play" } as const];

describe("soundsBetween", () => {
  it("is silent when the page opens at a table", () => {
    expect(soundsBetween(null, moment({ history: PLAYED }, { isPersonsTurn: true }))).toEqual([]);
  });

  it("tells calls from cards", () => {
    expect(soundsBetween(moment({}), moment({ history: ASKED }))).toEqual(["call"]);
    expect(soundsBetween(moment({ history: ASKED }), moment({ history: PLAYED }))).toEqual([
      "card",
    ]);
  });

  it("announces a full trick and the person's turn once", () => {
    const before = moment({ history: ASKED });
    const now = moment({ history: PLAYED }, { isTrickFull: true });
    const later = moment({ history: PLAYED }, { isPersonsTurn: true });
    expect(soundsBetween(before, now)).toEqual(["card", "trick"]);
    expect(soundsBetween(now, later)).toEqual(["turn"]);
    expect(soundsBetween(later, later)).toEqual([]);
  });

  it("is silent when actions are taken back, and when another deal begins", () => {
    expect(soundsBetween(moment({ history: PLAYED }), moment({ history: ASKED }))).toEqual([]);
    expect(soundsBetween(moment({}), moment({ deal: 1, history: ASKED }))).toEqual([]);
  });

  it.each([
    ["suit", "SN", 7, "made"],
    ["suit", "SN", -10, "failed"],
    ["suit", "NE", -7, "made"],
    ["suit", "NE", 7, "failed"],
    ["slam", "S", 200, "slam"],
    ["slam", "S", -200, "failed"],
    ["open-misere", "N", -32, "made"],
  ])("ends %s of %s with %d points for the person: %s", (kind, declarers, points, sound) => {
    const isDeclarer = declarers.includes("S");
    const own = isDeclarer ? points : -points;
    const scores = { N: own, E: own, S: points, W: -own };
    const contract = { kind, level: null, trump: null, declarers };
    const over = moment({ contract, scores }, { isResultShown: true });
    expect(soundsBetween(moment({ contract, scores }), over)).toEqual([sound]);
  });

  it("is silent after a void deal", () => {
    const over = moment({ scores: { N: 0, E: 0, S: 0, W: 0 } }, { isResultShown: true });
    expect(soundsBetween(moment({}), over)).toEqual([]);
  });
});
