// The trick on the table when the person played a card.

import { seatName } from "../language/sayings";
import type { Decision } from "../messages/messages";
import { positionAt } from "../messages/replay";
import { Card } from "../table/card";
import type { Scene } from "../table/scene";

/** Shows the trick before a decision, and the card that the person added. */
export function TrickThen({ scene, decision }: { scene: Scene; decision: Decision }) {
  const { table, speech } = scene;
  const { at, seat, did, phase } = decision;
  if (phase !== "play") return null;
  const { trick } = positionAt(table, at - 1);
  // A full trick stays on the table until the next card.
  const earlier = trick.length === 4 ? [] : trick;
  const { seen, colon } = speech.words;
  const played = speech.cardName(did) + colon + seen.played;
  return (
    <div class="then">
      <span>{seen.then}</span>
      <ol>
        {[...earlier, { seat, card: did }].map(({ seat, card }) => (
          <li key={seat} class={card === did ? "played" : ""}>
            <Card code={card} speech={speech} label={card === did ? played : ""} />
            <small>{seatName(table, seat, speech)}</small>
          </li>
        ))}
      </ol>
    </div>
  );
}
