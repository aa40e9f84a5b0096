// Drawn kings, queens and jacks.

import type { JSX } from "preact";

/** What a king, a queen or a jack wears, around a face with the centre (38, 46). */
const COSTUMES: Readonly<Record<string, { behind?: JSX.Element; over: JSX.Element }>> = {
  K: {
    over: (
      <>
        <path class="hair" d="M27 46c0 19 22 19 22 0-3 5-7 6-11 6s-8-1-11-6z" />
        <path class="gold" d="M27 40V26l5.5 6L38 23l5.5 9 5.5-6v14z" />
      </>
    ),
  },
  Q: {
    behind: (
      <path class="hair" d="M38 31c9 0 13 6 13 14 0 7 2 12 3 17H22c1-5 3-10 3-17 0-8 4-14 13-14z" />
    ),
    over: <path class="gold" d="M27 39l2-10 4.5 5 4.5-7 4.5 7 4.5-5 2 10q-11-5-22 0z" />,
  },
  J: {
    behind: <path class="hair" d="M26 42h24v12H26z" />,
    over: (
      <>
        <path d="M26 41c0-17 24-17 24 0-8-4-16-4-24 0z" />
        <path class="gold" d="M45 34c2-8 6-12 11-14 1 8-2 14-8 18z" />
      </>
    ),
  },
};

/** The figure of a king, a queen or a jack; nothing for other ranks. */
export function Court({ rank }: { rank: string }) {
  const costume = COSTUMES[rank];
  if (!costume) return null;
  return (
    <g class="court">
      {costume.behind}
      <path d="M19 82c0-14 8-22 19-22s19 8 19 22z" />
      <path class="gold" d="M33 60l5 9 5-9z" />
      <ellipse class="skin" cx="38" cy="46" rx="9.5" ry="11" />
      <path class="eyes" d="M33 45h3m4 0h3" />
      {costume.over}
      <path class="mouth" d="M35 52q3 2 6 0" />
    </g>
  );
}
