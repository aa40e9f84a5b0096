// Cards. They are drawings, so that they look the same with any font.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

import type { Speech } from "../language/speech";
import type { Suit } from "../messages/messages";
import { Court } from "./court";

const SPADE_PATH =
  "M0,-13 C10,-3 12,0 11,4 C9,9 3,8 1,5 L4,12 L-4,12 L-1,5 C-3,8 -9,9 -11,4 C-12,0 -10,-3 0,-13Z";
const SUIT_PATHS: Readonly<Record<Suit, string>> = {
  H: "M0,10 C-14,-2 -9,-12 -4,-12 C-1,-12 0,-9 0,-8 C0,-9 1,-12 4,-12 C9,-12 14,-2 0,10Z",
  D: "M0,-13 L9,0 L0,13 L-9,0Z",
  S: SPADE_PATH,
  C: "M0,-13 a6,6 0 0 1 4,10 a6,6 0 1 1 -3,8 L4,12 L-4,12 L-1,5 a6,6 0 1 1 -3,-8 a6,6 0 0 1 4,-10Z",
};

/** The picture of a card. The style sheet hides what the person has not chosen to see. */
export function CardFace({ code, speech }: { code: string; speech: Speech }) {
  const index = useId();
  const suit = code[1] as Suit;
  const width = code[0] === "T" ? 24 : undefined;
  return (
    <svg viewBox="0 0 60 84" class={`face ${suit}`} aria-hidden="true">
      <rect x=".5" y=".5" width="59" height="83" rx="6" />
      <path class="pip" d={SUIT_PATHS[suit]} transform="translate(37,60) scale(1.45)" />
      <Court rank={code[0]} />
      <g class="index">
        <g id={index}>
          <text x="4" y="23" textLength={width} lengthAdjust="spacingAndGlyphs">
            {speech.rank(code)}
          </text>
          <path d={SUIT_PATHS[suit]} transform="translate(13,38) scale(.78)" />
        </g>
      </g>
      <use class="opposite" href={`#${index}`} />
    </svg>
  );
}

interface CardProps {
  code: string;
  speech: Speech;
  /** Label for screen readers; the name of the card if it is missing. */
  label?: string;
  class?: string;
  children?: ComponentChildren;
}

/** A card that is shown and cannot be played. */
export function Card({ code, speech, label, class: extraClass = "", children }: CardProps) {
  return (
    <span
      class={`card ${extraClass}`}
      data-card={code}
      role="img"
      aria-label={label || speech.cardName(code)}
    >
      <CardFace code={code} speech={speech} />
      {children}
    </span>
  );
}
