import { describe, expect, it } from "vitest";

import { Speech } from "./speech";

const english = new Speech("en", "luxembourg", "auto", false);

describe("Speech", () => {
  it("writes numbers with the sign and the decimal point of the language", () => {
    const german = new Speech("de", "luxembourg", "auto", false);
    expect(english.signed(12)).toBe("+12");
    expect(english.signed(-1.25, 1)).toBe("−1.3");
    expect(english.signed(-0.04, 1)).toBe("0.0");
    expect(german.signed(-1.5, 1)).toBe("−1,5");
  });

  it("uses the singular for one, and for minus one", () => {
    expect(english.count(english.words.tricks, 1)).toBe("1 trick");
    expect(english.count(english.words.tricks, 0)).toBe("0 tricks");
    expect(english.count(english.words.youGet, -1)).toBe("−1 point for you.");
  });

  it("joins names", () => {
    expect(english.list(["You"])).toBe("You");
    expect(english.list(["You", "North", "East"])).toBe("You, North and East");
  });

  it("prints ranks in the letters of the settings, or else of the language", () => {
    expect(english.cardSign("TH")).toBe("10♥");
    expect(english.cardSign("JH")).toBe("J♥");
    expect(new Speech("en", "luxembourg", "fr", false).cardSign("JH")).toBe("V♥");
    expect(new Speech("nl", "luxembourg", "auto", false).cardSign("JH")).toBe("B♥");
  });

  it("names contracts with level and suit", () => {
    const contract = { trump: "H", declarers: "NS" } as const;
    expect(english.contract({ ...contract, kind: "suit", level: 8 })).toBe("8 ♥");
    expect(english.contract({ ...contract, kind: "troel", level: 9 })).toBe("troel 9 ♥");
    expect(english.contract({ ...contract, kind: "slam", level: 13, trump: null })).toBe(
      "slam no trumps",
    );
  });

  it("writes dates with the day first, whatever the time zone", () => {
    expect(english.date("2026-01-05")).toBe("5 Jan 2026");
    expect(new Speech("nl", "wiezen", "auto", true).date("2026-01-05")).toBe("5 jan 2026");
  });

  it("names a slam as in Flanders where the rules have a turn-up", () => {
    expect(new Speech("en", "wiezen", "auto", true).call("slam-S")).toBe("solo ♠");
    expect(english.call("slam-S")).toBe("slam ♠");
  });
});
