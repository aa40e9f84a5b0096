// Decisions that only open cards show to be worse, apart from those that could be known.

import { useEffect } from "preact/hooks";

import { fill } from "../language/words";
import { betterOpenCard } from "../match/hindsight";
import type { Decision } from "../messages/messages";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";

/** Returns a decision with the card that would have won more tricks, once that is solved. */
function openCardText({ game, table, speech }: Scene, { at, seat, did, tricks }: Decision): string {
  const { review } = speech.words.guide;
  const values = game.review.values[at - 1];
  const isDeclarer = table.contract?.declarers.includes(seat) ?? false;
  const better = values ? betterOpenCard(values, did, isDeclarer) : null;
  return fill(review.openCards, {
    did: speech.cardSign(did),
    best: better ? speech.cardSign(better) : "…",
    tricks: speech.count(review.tricksMore, tricks!),
  });
}

interface HindsightProps {
  scene: Scene;
  decisions: Decision[];
  /** Shows the position before a decision. */
  show(decision: Decision): void;
}

/** Lists decisions with the better card. A click shows the position with open cards. */
export function Hindsight({ scene, decisions, show }: HindsightProps) {
  const { game } = scene;
  const positions = decisions.map(({ at }) => at - 1);
  useEffect(() => game.review.queueValues(positions), [positions.join()]);
  return (
    <ul class="hindsight note">
      {decisions.map((decision) => (
        <li key={decision.at}>
          <button type="button" onClick={() => show(decision)}>
            <span>
              <SuitedText text={openCardText(scene, decision)} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
