import { describe, expect, it } from "vitest";
import { Speech } from "../language/speech";
import { LANGUAGE_NAMES, wordsOf } from "../language/words";
import type { Reason } from "../match/reasons";
import type { Decision } from "../messages/messages";
import { table } from "../testing/tables";
import { reasonText } from "./reason-text";

const CARDS = { did: "KH", best: "TH" } as Decision;
const CALLS = { did: "pass", best: "abondance-9S" } as Decision;

/** Returns the text of a reason, with cards in the letters of the language. */
function text(language: string, reason: Reason, decision = CARDS): string {
  const speech = new Speech(language, "luxembourg", "auto", false);
  const phase = decision === CALLS ? "auction" : "play";
  return reasonText(table(), speech, decision, reason, (code) => speech.action(code, phase));
}

describe("reasonText", () => {
  it("names calls and tricks", () => {
    expect(text("en", { key: "sureTricks", tricks: 9 }, CALLS)).toBe(
      "You hold 9 sure tricks: abondance 9 ♠ cannot fail.",
    );
  });

  it("names cards, suits and seats", () => {
    expect(text("nl", { key: "canBeTrumped", seat: "N" })).toBe(
      "Lieve heeft geen ♥ meer en er zit nog troef in het spel: H♥ kan afgetroefd worden.",
    );
    expect(text("en", { key: "staysBelow", winner: "JH" })).toBe(
      "10♥ stays below J♥; K♥ goes over it.",
    );
  });

  it.each(Object.keys(LANGUAGE_NAMES))("leaves no gap in %s", (language) => {
    const gaps = { tricks: 9, seat: "N", winner: "JH" };
    for (const key of Object.keys(wordsOf(language).reasons)) {
      const found = text(language, { key, ...gaps } as Reason);
      expect(found).not.toMatch(/\{|\}| {2}|^[ ,:;]| [.,]/);
    }
  });
});
