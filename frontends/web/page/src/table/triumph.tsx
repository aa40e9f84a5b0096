// Decorations for the person's rarest contracts.

import type { Table } from "../messages/messages";

const RARE_KINDS = ["small-slam", "slam", "solo-slim", "open-misere"];
const SIGNS = "♠♥♣♦";
const FLYING_SIGNS = 28;
/** Steps of a sequence that fills the width evenly: the golden ratio, in percent. */
const GOLDEN_STEP = 61.8;
const LONGEST_DELAY_S = 0.8;

/** Whether the person has made a slam, a solo slim or an open misère. */
export const isTriumph = ({ contract, scores, you }: Table): boolean =>
  contract !== null &&
  RARE_KINDS.includes(contract.kind) &&
  contract.declarers.includes(you) &&
  scores !== null &&
  scores[you] > 0;

/** Signs of the suits that fall over the felt, for two seconds. */
export function FallingSigns() {
  return (
    <div class="falling" aria-hidden="true">
      {Array.from({ length: FLYING_SIGNS }, (_, i) => (
        <i
          key={i}
          class={i % 2 ? "red" : ""}
          style={{
            left: `${(i * GOLDEN_STEP) % 100}%`,
            animationDelay: `${((i * LONGEST_DELAY_S) / FLYING_SIGNS).toFixed(2)}s`,
          }}
        >
          {SIGNS[i % SIGNS.length]}
        </i>
      ))}
    </div>
  );
}

/** A crown above the result. It stays. */
export const Crown = () => (
  <svg viewBox="0 0 64 40" class="crown" aria-hidden="true">
    <path d="M6 32L3 9l15 11L32 3l14 17L61 9l-3 23z" />
    <path d="M7 35h50v4H7z" />
    <circle cx="3" cy="7" r="3" />
    <circle cx="32" cy="3" r="3" />
    <circle cx="61" cy="7" r="3" />
  </svg>
);
