import { expect, it } from "vitest";

import { table } from "../testing/tables";
import { type Match, newMatch } from "./match";
import { leaders, scoreSheet } from "./score-sheet";

const FIRST = { N: 7, E: -7, S: 7, W: -7 };
const SECOND = { N: 0, E: 18, S: 0, W: 0 };

const matchWith = (scores: Match["scores"]): Match => ({
  ...newMatch({ rules: "luxembourg", seed: 1 }, []),
  scores,
});

it("has the deals that are over", () => {
  const playing = table({ deal: 1, totals: FIRST });
  // The match knows the end of the second deal before the table shows it.
  expect(scoreSheet(matchWith([FIRST, SECOND]), playing)).toEqual({
    rows: [{ deal: 0, points: FIRST }],
    earlier: null,
  });
  const totals = { N: 7, E: 11, S: 7, W: -7 };
  const over = table({ deal: 1, scores: SECOND, totals });
  const { rows, earlier } = scoreSheet(matchWith([FIRST, SECOND]), over);
  expect(rows.map(({ deal }) => deal)).toEqual([0, 1]);
  expect(earlier).toBeNull();
});

it("sums up the deals before the person sat down", () => {
  const scores: Match["scores"] = [];
  scores[1] = SECOND;
  const totals = { N: 7, E: 11, S: 7, W: -7 };
  expect(scoreSheet(matchWith(scores), table({ deal: 1, scores: SECOND, totals }))).toEqual({
    rows: [{ deal: 1, points: SECOND }],
    earlier: FIRST,
  });
  expect(scoreSheet(null, table({ totals })).earlier).toEqual(totals);
});

it("finds all seats with the most points", () => {
  expect(leaders(table({ totals: FIRST }))).toEqual(["N", "S"]);
});
