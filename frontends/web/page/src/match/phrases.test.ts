import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { Phrases } from "./phrases";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows each phrase for a while", () => {
  const redraw = vi.fn();
  const phrases = new Phrases(redraw);
  phrases.said({ type: "said", seat: "N", phrase: "hello" });
  vi.advanceTimersByTime(4000);
  phrases.said({ type: "said", seat: "N", phrase: "thanks" });
  phrases.said({ type: "said", seat: "E", phrase: "laugh" });
  vi.advanceTimersByTime(4000);
  // The end of the first phrase does not end the second one.
  expect([phrases.of("N"), phrases.of("E"), phrases.of("S")]).toEqual([
    "thanks",
    "laugh",
    undefined,
  ]);
  redraw.mockClear();
  vi.advanceTimersByTime(4000);
  expect([phrases.of("N"), phrases.of("E")]).toEqual([undefined, undefined]);
  expect(redraw).toHaveBeenCalled();
});
