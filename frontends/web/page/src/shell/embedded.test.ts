import { expect, it, vi } from "vitest";

import { fullPageUrl, isEmbedded } from "./embedded";

it("links to the same page without the frame", () => {
  const url = "https://club.example/troel.html?embed&rules=wiezen&lang=nl#play";
  vi.stubGlobal("location", new URL(url));
  expect(isEmbedded()).toBe(true);
  const full = fullPageUrl(url);
  expect(full).toBe("https://club.example/troel.html?rules=wiezen&lang=nl#play");
  vi.stubGlobal("location", new URL(full));
  expect(isEmbedded()).toBe(false);
  expect(fullPageUrl("file:///home/anna/troel.html?embed")).toBe("file:///home/anna/troel.html");
});
