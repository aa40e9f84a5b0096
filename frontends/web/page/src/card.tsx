// Cards are drawn, so that they look the same with any font.

import type { Suit } from "./messages";
import type { Speech } from "./words";

const PATHS: Record<Suit, string> = {
  H: "M0,10 C-14,-2 -9,-12 -4,-12 C-1,-12 0,-9 0,-8 C0,-9 1,-12 4,-12 C9,-12 14,-2 0,10Z",
  D: "M0,-13 L9,0 L0,13 L-9,0Z",
  S: "M0,-13 C10,-3 12,0 11,4 C9,9 3,8 1,5 L4,12 L-4,12 L-1,5 C-3,8 -9,9 -11,4 C-12,0 -10,-3 0,-13Z",
  C: "M0,-13 a6,6 0 0 1 4,10 a6,6 0 1 1 -3,8 L4,12 L-4,12 L-1,5 a6,6 0 1 1 -3,-8 a6,6 0 0 1 4,-10Z",
};
const RANKS = "23456789TJQKA";
const ORDER = "SHCD";

/** As people hold them: suits apart, black and red in turn, high cards first. */
export const sorted = (codes: string[]): string[] =>
  [...codes].sort((a, b) => ORDER.indexOf(a[1]) - ORDER.indexOf(b[1]) || RANKS.indexOf(b[0]) - RANKS.indexOf(a[0]));

/** The picture of a card. */
export function Face({ code, speech }: { code: string; speech: Speech }) {
  const suit = code[1] as Suit;
  return (
    <svg viewBox="0 0 60 84" class={`face ${suit}`} aria-hidden="true">
      <rect x=".5" y=".5" width="59" height="83" rx="6" />
      <text x="4" y="23" font-size="22" textLength={code[0] === "T" ? 24 : undefined} lengthAdjust="spacingAndGlyphs">{speech.rank(code)}</text>
      <path d={PATHS[suit]} transform="translate(13,38) scale(.78)" />
      <path d={PATHS[suit]} transform="translate(37,60) scale(1.45)" />
    </svg>
  );
}

/** A card that lies there. */
export function Card({ code, speech, children, class: more = "", label = "" }: { code: string; speech: Speech; children?: unknown; class?: string; label?: string }) {
  return (
    <span class={`card ${more}`} data-card={code} role="img" aria-label={label || speech.card(code)}>
      <Face code={code} speech={speech} />
      {children as never}
    </span>
  );
}

/**
 * A text with its suits in their colours. A card, which has its rank before the sign without a blank, looks like one; the
 * height of a call stays on the line of its suit.
 */
export function Suited({ text }: { text: string }) {
  const piece = (text: string, i: number) => {
    if (i % 2 === 0) return text;
    const suit = <span key={i} class={`suit ${"SCDH"["♠♣♦♥".indexOf(text.at(-1)!)]}`}>{text.at(-1)}</span>;
    return text.length > 1 ? <span key={i} class={text.includes(" ") ? "height" : "slip"}>{text.slice(0, -1)}{suit}</span> : suit;
  };
  return <>{text.split(/((?:\b(?:10|[2-9A-Z])|\b\d+ )?[♠♣♦♥])/).map(piece)}</>;
}
