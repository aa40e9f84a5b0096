// Decisions that only open cards show to be worse, apart from those that could be known.

import { useEffect } from "preact/hooks";

import { fill } from "../language/words";
import type { Decision } from "../messages/messages";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";
import { betterInHindsight } from "./better-card";

/** Returns a decision with the card that would have won more tricks, once that is solved. */
function openCardText({ game, table, speech }: Scene, decision: Decision): string {
  const { review } = speech.words.guide;
  const { at, did, tricks } = decision;
  const better = betterInHindsight(table, decision, game.review.values[at - 1]);
  return fill(review.openCards, {
    did: speech.cardSign(did),
    best: better ? speech.cardSign(better.card) : "…",
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
