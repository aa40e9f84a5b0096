import { describe, expect, it, vi } from "vitest";

import { saved } from "../match/storage";
import { dealUrl } from "../net/urls";
import { firstRules, firstSettings, matchInAddress } from "./address";

const DEAL = { rules: "wiezen", dealer: "N", deal: "N:... ... ... ..." };
const recordHash = (record: object) => new URL(dealUrl(record)).hash;

describe("matchInAddress", () => {
  it("is a match of the usual rules for a plain address", () => {
    expect(matchInAddress("", "", "iwwa")).toEqual({
      request: { rules: "iwwa", seed: undefined, record: undefined },
      isRequested: false,
      daily: null,
      isPlay: false,
      isBroken: false,
    });
  });

  it("leads to a table with #play", () => {
    expect(matchInAddress("", "#play", "iwwa")).toMatchObject({
      request: { rules: "iwwa" },
      isRequested: false,
      isPlay: true,
    });
  });

  it("follows rules and seed, those of the hash first", () => {
    expect(matchInAddress("?rules=wiezen&seed=3", "", "iwwa")).toMatchObject({
      request: { rules: "wiezen", seed: 3 },
      isRequested: true,
    });
    expect(matchInAddress("?rules=wiezen&seed=3", "#seed=4", "iwwa").request.seed).toBe(4);
  });

  it("ignores rules that are not known and seeds that are no numbers", () => {
    expect(matchInAddress("?rules=skat&seed=-3", "", "iwwa")).toMatchObject({
      request: { rules: "iwwa", seed: undefined },
      isRequested: false,
    });
    expect(matchInAddress("", "", "skat").request.rules).toBe("luxembourg");
  });

  it("plays the record of a link under the rules of the record", () => {
    const found = matchInAddress("?rules=iwwa", recordHash(DEAL), "iwwa");
    expect(found).toMatchObject({
      request: { rules: "wiezen", record: DEAL },
      isRequested: true,
      isBroken: false,
    });
  });

  it.each([
    ["is no Base64", "#record=%"],
    ["is no record", recordHash([])],
    ["has no deal", recordHash({ rules: "wiezen" })],
    ["has other rules", recordHash({ ...DEAL, rules: "skat" })],
  ])("reports a record that %s", (_, hash) => {
    const found = matchInAddress("", hash, "iwwa");
    expect(found).toMatchObject({ isBroken: true, request: { rules: "iwwa", record: undefined } });
  });
});

describe("firstRules", () => {
  it.each([
    ["lb", "lb", "luxembourg"],
    ["lb", "lb-LU", "luxembourg"],
    ["de", "de-LU", "luxembourg"],
    ["fr", "fr-LU", "luxembourg"],
    ["nl", "nl-LU", "luxembourg"],
    ["nl", "nl", "wiezen"],
    ["nl", "nl-BE", "wiezen"],
    ["fr", "fr-BE", "wiezen"],
    ["en", "en-GB", "luxembourg"],
    ["de", "de-DE", "luxembourg"],
  ])("are those of the region, or else of the language: %s, %s", (language, locale, rules) => {
    expect(firstRules(["wiezen", "luxembourg"], language, locale)).toBe(rules);
  });

  it("are house rules if the page offers some", () => {
    expect(firstRules(["luxembourg", "wiezen", "club", "café"], "nl", "nl-BE")).toBe("club");
  });
});

describe("firstSettings", () => {
  it("chooses the rules of the country until the person chooses", () => {
    expect(firstSettings().rules).toBe("luxembourg");
    vi.stubGlobal("navigator", { language: "fr-BE", languages: ["fr-BE"] });
    expect(firstSettings().rules).toBe("wiezen");
    saved.storeSettings({ ...saved.settings(), rules: "horesca" });
    expect(firstSettings().rules).toBe("horesca");
  });

  it("takes a known language from the address", () => {
    vi.stubGlobal("location", { search: "?lang=nl" });
    expect(firstSettings()).toMatchObject({ language: "nl", rules: "wiezen" });
    vi.stubGlobal("location", { search: "?lang=xx" });
    expect(firstSettings().language).toBe("");
  });
});
