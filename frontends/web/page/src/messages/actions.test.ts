import { describe, expect, it } from "vitest";

import { isCard, parseCall } from "./actions";

describe("parseCall", () => {
  it.each([
    ["8S", { kind: "suit", level: 8, strain: "S" }],
    ["13H", { kind: "suit", level: 13, strain: "H" }],
    ["solo-6D", { kind: "solo", level: 6, strain: "D" }],
    ["solo-5D", { kind: "alone", level: 5, strain: "D" }],
    ["abondance-9C", { kind: "abondance", level: 9, strain: "C" }],
    ["slam-NT", { kind: "slam", level: 0, strain: "NT" }],
    ["solo-slim", { kind: "solo-slim", level: 0, strain: null }],
    ["open-misere", { kind: "open-misere", level: 0, strain: null }],
  ])("reads %s", (code, call) => expect(parseCall(code)).toEqual(call));

  it.each(["pass", "keep", "AS", "troel"])("finds no contract in %s", (code) =>
    expect(parseCall(code)).toBeNull(),
  );
});

describe("isCard", () => {
  it("reads 8S as a call in the auction and as a card afterwards", () => {
    expect(isCard("8S", "auction")).toBe(false);
    expect(isCard("8S", "play")).toBe(true);
  });

  it("does not take calls for cards", () => {
    expect(isCard("keep", "exchange")).toBe(false);
    expect(isCard("trump-S", "trump")).toBe(false);
  });
});
