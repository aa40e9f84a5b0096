// The chart of the points lost per decision.

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { DEALS_PER_POINT } from "../match/deal-statistics";

const WIDTH = 300;
const HEIGHT = 90;
/** Space around the points of the line. */
const MARGIN = 8;

interface LossChartProps {
  /** Points lost per decision, the oldest first. */
  losses: number[];
  speech: Speech;
}

/** Draws the losses as a line from left to right. A sentence says where it begins and ends. */
export function LossChart({ losses, speech }: LossChartProps) {
  const { colon, history: words } = speech.words;
  if (losses.length < 2)
    return <p class="note">{fill(words.chartLater, { n: 2 * DEALS_PER_POINT })}</p>;
  const highest = Math.max(...losses) || 1;
  const x = (i: number) => MARGIN + (i * (WIDTH - 2 * MARGIN)) / (losses.length - 1);
  const y = (loss: number) => HEIGHT - MARGIN - (loss / highest) * (HEIGHT - 2 * MARGIN);
  const texts = losses.map((loss) => speech.number(loss, 2));
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={words.chart + colon + texts.join("; ")}
      >
        <path class="axis" d={`M0 ${y(0)}H${WIDTH}`} />
        <polyline points={losses.map((loss, i) => `${x(i)},${y(loss)}`).join(" ")} />
        {losses.map((loss, i) => (
          <circle key={i} cx={x(i)} cy={y(loss)} r="4" />
        ))}
      </svg>
      <figcaption class="note">
        {fill(words.chartEnds, { first: texts[0], last: texts.at(-1)! })}
      </figcaption>
    </figure>
  );
}
