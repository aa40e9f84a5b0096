import { expect, it } from "vitest";

import { Speech } from "../language/speech";
import { shareLine } from "./daily-end";

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
