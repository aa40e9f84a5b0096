import { expect, it } from "vitest";

import { betterOpenCard } from "./hindsight";

it("finds the card that wins most tricks for the side of the person", () => {
  const values: Record<string, [number, number]> = { "7S": [8, 8], "7D": [9, 9], AS: [9, 9] };
  expect(betterOpenCard(values, "7S", true)).toBe("AS");
  expect(betterOpenCard(values, "AS", false)).toBe("7S");
  expect(betterOpenCard(values, "7D", true)).toBeNull();
});

it("claims nothing that the solver left open", () => {
  expect(betterOpenCard({ "7S": [7, 9], "7D": [8, 10] }, "7S", true)).toBeNull();
  expect(betterOpenCard({ "7D": [8, 8] }, "7S", true)).toBeNull();
});
