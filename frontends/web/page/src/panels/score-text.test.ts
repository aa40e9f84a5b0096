import { expect, it } from "vitest";

import { Speech } from "../language/speech";
import { today } from "../match/daily";
import type { Scene } from "../table/scene";
import { table } from "../testing/tables";
import { scoreText } from "./score-text";

const FIRST = { N: 7, E: -7, S: 7, W: -7 };

it("names the person, the earlier points, and the winner of a match that is over", () => {
  const totals = { N: 17, E: -7, S: 107, W: -7 };
  const speech = new Speech("en", "luxembourg", "auto", false);
  const scene = {
    table: table({ over: true, totals }),
    speech,
    settings: { name: "Anna" },
  } as Scene;
  const earlier = { N: 10, E: 0, S: 100, W: 0 };
  expect(scoreText(scene, { rows: [{ deal: 4, points: FIRST }], earlier }).split("\n")).toEqual([
    `Troel · Lëtzebuerg · ${speech.date(today())}`,
    "\tAnna\tNico\tMarie\tBram",
    "Before\t+100\t0\t+10\t0",
    "Deal 5\t+7\t−7\t+7\t−7",
    "Total\t107\t−7\t17\t−7",
    "Anna wins the match.",
  ]);
});
