import { expect, it, vi } from "vitest";

import { Parts } from "./parts";

it("resolves a part as soon as it is complete, and in any chunks", async () => {
  const parts = new Parts([4, 2]);
  parts.add(0, "ab");
  parts.add(0, "cd");
  expect(await parts.text(0)).toBe("abcd");
  const isThere = vi.fn();
  void parts.text(1).then(isThere);
  await Promise.resolve();
  expect(isThere).not.toHaveBeenCalled();
  parts.add(1, "ef");
  expect(await parts.text(1)).toBe("ef");
});

it("measures the progress up to a part", () => {
  const parts = new Parts([6, 4, 10]);
  expect(parts.progress(0)).toBe(0);
  parts.add(0, "abcdef");
  expect(parts.progress(0)).toBe(1);
  expect(parts.progress(1)).toBe(0.6);
  expect(parts.progress(2)).toBe(0.3);
});

it("is cut off only if the end comes before the last part is complete", () => {
  const parts = new Parts([4]);
  const listener = vi.fn();
  const unsubscribe = parts.subscribe(listener);
  parts.add(0, "ab");
  expect(parts.isCutOff).toBe(false);
  parts.end();
  expect(parts.isCutOff).toBe(true);
  expect(listener).toHaveBeenCalledTimes(2);
  unsubscribe();
  parts.add(0, "cd");
  expect(parts.isCutOff).toBe(false);
  expect(listener).toHaveBeenCalledTimes(2);
});
