// Drawn faces of the bots, one for each seat.

import type { JSX } from "preact";

import type { Seat } from "../messages/messages";

/** Colours of the background and of the hair. */
const COLOURS: Readonly<Record<Seat, [background: string, hair: string]>> = {
  N: ["#e8b7c8", "#8d8f96"],
  E: ["#a9cbe8", "#5b3a21"],
  S: ["#f2d384", "#a3401f"],
  W: ["#b5d8a6", "#3a2c25"],
};

/** Hair behind the head. */
const HAIR: Readonly<Record<Seat, string>> = {
  // A bun.
  N: "M12 1a4 4 0 0 1 3.6 5.6A8 8 0 0 1 20 14H4a8 8 0 0 1 4.4-7.4A4 4 0 0 1 12 1z",
  // Hair at the sides only.
  E: "M4.5 10h15v5h-15z",
  // Long curls.
  S: "M12 3c6 0 9 4 8.5 9 1.5 2 1 5-.5 7H4c-1.5-2-2-5-.5-7C3 7 6 3 12 3z",
  W: "M5 8h14v5H5z",
};

/** What is drawn over the face. */
const FEATURES: Readonly<Record<Seat, JSX.Element>> = {
  N: (
    <g fill="none" stroke="#3b3b46" stroke-width=".9">
      <circle cx="9" cy="12.5" r="2.3" />
      <circle cx="15" cy="12.5" r="2.3" />
      <path d="M11.3 12.3h1.4" />
    </g>
  ),
  E: <path fill="#5b3a21" d="M6 14c1.5 1 3 1 6 1s4.5 0 6-1c.5 5-2 7.5-6 7.5S5.5 19 6 14z" />,
  S: (
    <path
      fill="#a3401f"
      d="M5.5 11c0-4.5 3-6 6.5-6s6.5 1.5 6.5 6c-3-.5-5-1.5-6.5-3.5C11 9.5 8.5 10.5 5.5 11z"
    />
  ),
  W: (
    <>
      <path fill="#4a5a78" d="M4.5 9.5C4.5 4.5 8 3 12.5 3S20 5 20 8.5l2.5 1.3c-5 .8-11 .8-18-.3z" />
      <path
        fill="#3a2c25"
        d="M12 16c-2-1.3-4-.7-5 1 2 .8 4 .8 5-.2 1 1 3 1 5 .2-1-1.7-3-2.3-5-1z"
      />
    </>
  ),
};

/** The face of the bot at a seat. */
export function Portrait({ seat }: { seat: Seat }) {
  const [background, hair] = COLOURS[seat];
  return (
    <svg viewBox="0 0 24 24" class="portrait" aria-hidden="true">
      <circle cx="12" cy="12" r="12" fill={background} />
      <path fill={hair} d={HAIR[seat]} />
      <ellipse cx="12" cy="13.5" rx="6.5" ry="7.5" fill="#f3d3b5" />
      <path
        fill="#3b2a22"
        d="M8 12.5a1 1 0 1 1 2 0a1 1 0 1 1-2 0zm6 0a1 1 0 1 1 2 0a1 1 0 1 1-2 0z"
      />
      {FEATURES[seat]}
      <path
        d="M9.5 17.5q2.5 2 5 0"
        fill="none"
        stroke="#a3403a"
        stroke-width="1"
        stroke-linecap="round"
      />
    </svg>
  );
}
