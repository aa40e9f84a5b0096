// Four open hands with a slider through the deal.

import { useEffect, useState } from "preact/hooks";

import { sayingAt, seatName } from "../language/sayings";
import { fill } from "../language/words";
import type { Seat, Values } from "../messages/messages";
import { type Position, positionAt } from "../messages/replay";
import { seatsFromPerson } from "../messages/seats";
import { Card } from "../table/card";
import type { Scene } from "../table/scene";
import { sortedHand } from "../table/sorting";
import { SuitedText } from "../table/suited-text";
import type { BetterCard } from "./better-card";

/** Time that the slider rests on a position before the position is solved. */
const SOLVE_DELAY_MS = 150;

const rangeText = ([least, most]: [number, number]): string =>
  least === most ? String(least) : `${least}–${most}`;

interface OpenHandProps {
  scene: Scene;
  seat: Seat;
  position: Position;
  /** Tricks of the declarers by card of the seat to act, if they are solved. */
  values: Values["values"] | undefined;
  /** Card of the seat to act that is marked. */
  better: BetterCard | null;
}

/** The cards of a seat, and its card in the trick on the table. */
function OpenHand({ scene: { table, speech }, seat, position, values, better }: OpenHandProps) {
  const { words } = speech;
  const { hands, trick, next } = position;
  const isNext = next?.seat === seat;
  const tabled = trick.filter((played) => played.seat === seat);
  return (
    <div class={`held ${isNext ? "next" : ""}`}>
      <b>{seatName(table, seat, speech)}</b>
      <span>
        {sortedHand(hands[seat]).map((code) => {
          const tricks = isNext ? values?.[code] : undefined;
          const isPlayed = isNext && next.action === code;
          const isBetter = isNext && better?.card === code;
          const betterText = better?.isHindsight ? words.seen.betterOpen : words.seen.better;
          const facts = [
            tricks ? speech.count(words.tricks, tricks[0]) : "",
            isBetter ? betterText : "",
          ]
            .filter(Boolean)
            .join(", ");
          const betterClass = better?.isHindsight ? "better in-hindsight" : "better";
          return (
            <Card
              key={code}
              code={code}
              speech={speech}
              label={facts && speech.cardName(code) + words.colon + facts}
              class={`${isPlayed ? "played" : ""} ${isBetter ? betterClass : ""}`}
            >
              {tricks && <em>{rangeText(tricks)}</em>}
            </Card>
          );
        })}
        {tabled.map(({ card }) => (
          <Card key={card} code={card} speech={speech} class="tabled" />
        ))}
      </span>
    </div>
  );
}

interface OpenHandsProps {
  scene: Scene;
  /** Number of actions before the position that is shown. */
  step: number;
  setStep(step: number): void;
  /** Card of the seat to act that is marked. */
  better: BetterCard | null;
}

export function OpenHands({ scene, step, setStep, better }: OpenHandsProps) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const [isSolving, setIsSolving] = useState(true);
  const position = positionAt(table, step);
  const hasValues = isSolving && position.next?.phase === "play" && Boolean(table.contract?.level);
  useEffect(() => {
    if (!hasValues) return;
    const timer = setTimeout(() => game.review.requestValues(step), SOLVE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [step, hasValues]);
  const toggleSolving = () => setIsSolving(!isSolving);
  const last = table.history.length;
  const stepText = fill(words.step, { n: step, of: last });
  const action = step > 0 ? sayingAt(table, speech, step - 1) : words.start;
  return (
    <div class="hands">
      <div class="slider">
        <button
          type="button"
          onClick={() => setStep(step - 1)}
          disabled={step === 0}
          aria-label="−1"
        >
          ‹
        </button>
        <input
          type="range"
          min={0}
          max={last}
          value={step}
          aria-label={stepText}
          onInput={(event) => setStep(Number(event.currentTarget.value))}
        />
        <button
          type="button"
          onClick={() => setStep(step + 1)}
          disabled={step === last}
          aria-label="+1"
        >
          ›
        </button>
      </div>
      <p class="step">
        {stepText}
        {words.colon}
        <SuitedText text={action} />
      </p>
      {seatsFromPerson(table).map((seat) => (
        <OpenHand
          key={seat}
          scene={scene}
          seat={seat}
          position={position}
          values={hasValues ? game.review.values[step] : undefined}
          better={better}
        />
      ))}
      {table.contract?.level && (
        <label class="check">
          <input type="checkbox" checked={isSolving} onChange={toggleSolving} /> {words.doubleDummy}{" "}
          ({words.declarers})
        </label>
      )}
    </div>
  );
}
