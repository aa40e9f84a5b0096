// The felt: the contract, four seats, and the cards or the result between them.

import type { ComponentChildren } from "preact";

import { announcement, auctionSayings, seatName } from "../language/sayings";
import type { Seat } from "../messages/messages";
import { seatAfter } from "../messages/seats";
import { Card } from "./card";
import { ContractBar } from "./contract-bar";
import { isResultShown, type Scene, sideOf } from "./scene";
import { SeatView } from "./seat";
import { Crown, FallingSigns, isTriumph } from "./triumph";

/** Steps from the person to each seat, in the order of the document: top, left, right, person. */
const SEAT_STEPS = [2, 1, 3, 0];

/** Returns the last call of each seat until the first card is played. */
function lastCalls({ table, speech }: Scene): Partial<Record<Seat, string>> {
  const texts: Partial<Record<Seat, string>> = {};
  if (table.history.length <= table.calls && !table.scores) {
    for (const { seat, text } of auctionSayings(table, speech)) texts[seat] = text;
  }
  const announced = table.calls === 0 || !table.history.length ? announcement(table, speech) : null;
  if (announced) texts[announced.seat] = announced.text;
  return texts;
}

/** The cards of the trick on the table, or the turn-up. */
function TableCards({ scene: { game, table, speech } }: { scene: Scene }) {
  const { fullTrick } = game;
  const cards = fullTrick?.cards ?? table.trick;
  const leaving = fullTrick?.isLeaving ? `leaving to-${sideOf(table, fullTrick.winner)}` : "";
  return (
    // biome-ignore lint/a11y: a click only shortens a pause, which also ends without it.
    <div class={`middle ${leaving}`} onClick={game.skipTrickPause}>
      {cards.map(({ seat, card }) => (
        <Card
          key={card}
          code={card}
          speech={speech}
          label={`${seatName(table, seat, speech)}${speech.words.colon}${speech.cardName(card)}`}
          class={`from-${sideOf(table, seat)} ${fullTrick?.winner === seat ? "winner" : ""}`}
        />
      ))}
      {!cards.length && table.turn_up && !table.contract && (
        <div class="turn-up">
          <Card code={table.turn_up} speech={speech} />
          <span>{speech.words.turnUp}</span>
        </div>
      )}
    </div>
  );
}

interface FeltProps {
  scene: Scene;
  /** The result, which takes the place of the cards once the deal is over. */
  children: ComponentChildren;
}

export function Felt({ scene, children }: FeltProps) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const { latest } = game.phrases;
  const isOver = isResultShown(scene);
  const isRare = isOver && isTriumph(table);
  const said = isOver ? {} : lastCalls(scene);
  return (
    <section class="felt" aria-label={speech.words.table}>
      <ContractBar scene={scene} />
      <div class="seats">
        {SEAT_STEPS.map((steps) => {
          const seat = seatAfter(table.you, steps);
          return <SeatView key={seat} seat={seat} scene={scene} said={said[seat] ?? ""} />;
        })}
        {isOver ? (
          <div class="over">
            {isRare && <Crown />}
            {children}
          </div>
        ) : (
          <TableCards scene={scene} />
        )}
      </div>
      {isRare && <FallingSigns />}
      {table.people && (
        <p class="hidden" role="status">
          {latest && `${seatName(table, latest.seat, speech)}: ${words.phrases[latest.phrase]}`}
        </p>
      )}
    </section>
  );
}
