// The curve of the person's expected points over a deal.

import { fill } from "../language/words";
import { type Expectation, expectations } from "../match/expectations";
import type { Decision } from "../messages/messages";
import type { Scene } from "../table/scene";
import { MIN_SHOWN_POINTS } from "./decisions";
import { actionNames } from "./judged-decision";

const WIDTH = 300;
const HEIGHT = 110;
/** Space above and below the curve. */
const MARGIN = 14;

/** Returns the text of a point: the action, its expected points and its cost. */
function pointText(scene: Scene, { decision, after }: Expectation): string {
  const { speech } = scene;
  const { words } = speech;
  const expected = fill(words.seen.expected, speech.signed(after, 1));
  const { did, points } = decision;
  const texts = [actionNames(scene, decision)(did) + words.colon + expected];
  if (points >= MIN_SHOWN_POINTS)
    texts.push(speech.count(words.lostPoints, points, speech.number(points, 1)));
  return texts.join(", ");
}

interface ExpectationCurveProps {
  scene: Scene;
  decisions: Decision[];
  /** `at` of the decision that was opened from the curve. */
  open: number | null;
  toggle(decision: Decision): void;
}

/**
 * Draws the expected points after each decision, and the points of the deal at the end. A red line
 * down is the cost of a decision. Each decision is a button over its part of the curve.
 */
export function ExpectationCurve({ scene, decisions, open, toggle }: ExpectationCurveProps) {
  const { table, speech } = scene;
  const { words } = speech;
  const points = expectations(decisions);
  const end = table.scores![table.you];
  if (points.length < 2) return null;
  const values = [0, end, ...points.flatMap(({ before, after }) => [before, after])];
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  const x = (i: number) => ((i + 0.5) * WIDTH) / (points.length + 1);
  const y = (value: number) =>
    HEIGHT - MARGIN - ((value - lowest) / (highest - lowest || 1)) * (HEIGHT - 2 * MARGIN);
  const corners = points.flatMap(({ before, after }, i) => [
    `${x(i)},${y(before)}`,
    `${x(i)},${y(after)}`,
  ]);
  const texts = points.map((point) => pointText(scene, point));
  const endText = fill(words.seen.end, speech.signed(end));
  const label = words.seen.curve + words.colon + [...texts, endText].join("; ");
  return (
    <figure class="chart curve">
      <h2>{words.seen.curve}</h2>
      <div>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
          <path class="axis" d={`M0 ${y(0)}H${WIDTH}`} />
          <polyline points={[...corners, `${x(points.length)},${y(end)}`].join(" ")} />
          {points.map(({ decision, before, after }, i) => (
            <g key={i}>
              {decision.points >= MIN_SHOWN_POINTS && (
                <path class="drop" d={`M${x(i)} ${y(before)}V${y(after)}`} />
              )}
              <circle cx={x(i)} cy={y(after)} r={decision.at === open ? 6 : 3.5} />
            </g>
          ))}
          <circle class="end" cx={x(points.length)} cy={y(end)} r="3.5" />
          <text x="1" y="10">
            {speech.signed(highest, 1)}
          </text>
          <text x="1" y={HEIGHT - 2}>
            {speech.signed(lowest, 1)}
          </text>
        </svg>
        <div class="points">
          {points.map(({ decision }, i) => (
            <button
              key={i}
              type="button"
              title={texts[i]}
              aria-label={texts[i]}
              aria-expanded={decision.at === open}
              onClick={() => toggle(decision)}
            />
          ))}
          <span title={endText} />
        </div>
      </div>
      <figcaption class="note">
        {words.seen.curveText} {endText}
      </figcaption>
    </figure>
  );
}
