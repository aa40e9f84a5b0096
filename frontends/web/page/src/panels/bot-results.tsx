// The chart of the points that bots got with the person's cards.

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { compareResults, shownResults } from "../match/bot-results";
import type { Results } from "../messages/messages";

const WIDTH = 300;
/** Height of the highest column, and of the texts above and below it. */
const COLUMN_HEIGHT = 56;
const TEXT_HEIGHT = 14;
const HEIGHT = COLUMN_HEIGHT + 2 * TEXT_HEIGHT;
const GAP = 6;

interface BotResultsProps {
  results: Results["points"];
  /** The person's points. */
  own: number;
  speech: Speech;
}

/** Draws a column for each result, with the person's marked. A sentence compares the numbers. */
export function BotResults({ results, own, speech }: BotResultsProps) {
  const { today } = speech.words;
  const shown = shownResults(results, own);
  const width = Math.min(48, WIDTH / shown.length);
  const highest = Math.max(...shown.map(([, plays]) => plays));
  const { plays, fewer, same, more } = compareResults(results, own);
  const counts = { n: plays, fewer, same, more };
  const numbers = Object.entries(counts).map(([key, n]) => [key, speech.number(n)]);
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        {shown.map(([points, plays], i) => {
          const x = (WIDTH - shown.length * width) / 2 + i * width;
          const height = Math.max(1, (COLUMN_HEIGHT * plays) / highest);
          const top = TEXT_HEIGHT + COLUMN_HEIGHT - height;
          return (
            <g key={points} class={points === own ? "own" : ""}>
              <rect x={x + GAP / 2} y={top} width={width - GAP} height={height} />
              <text x={x + width / 2} y={top - 4} text-anchor="middle">
                {speech.number(plays)}
              </text>
              <text x={x + width / 2} y={HEIGHT - 3} text-anchor="middle">
                {speech.signed(points)}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption class="note">{fill(today.botResults, Object.fromEntries(numbers))}</figcaption>
    </figure>
  );
}
