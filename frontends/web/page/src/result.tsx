// The result of a finished deal on the felt, and the way to the next deal.

import { Suited } from "./card";
import { nameOf, type Scene } from "./felt";
import { type Seat, SEATS } from "./messages";
import { resultText } from "./panels";
import { fill } from "./words";

interface Props {
  scene: Scene;
  newMatch(): void;
  /** Opens the review. Only narrow windows have the button, as they have no panel. */
  review(): void;
}

export function Result({ scene, newMatch, review }: Props) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const { ready, you } = table;
  const isReady = ready?.includes(you);
  // Once the person is ready, the next deal waits for the others.
  const awaited = isReady ? SEATS.filter((seat) => table.people?.[seat]?.here && !ready!.includes(seat)) : [];
  const namesOf = (seats: readonly Seat[]) => seats.map((seat) => nameOf(table, seat, speech)).join(", ");
  const next = (label: string, go: () => void) => (
    <button type="button" id="next" class="large" disabled={awaited.length > 0} onClick={go}>
      {awaited.length ? fill(words.waitingFor, namesOf(awaited)) : label}
    </button>
  );
  return (
    <>
      {resultText(scene).map((line, i) => <p key={i} class={i === 0 ? "result" : ""}><Suited text={line} /></p>)}
      {ready && ready.length > 0 && !isReady && <p>{fill(words.othersWait, namesOf(ready))}</p>}
      <div class="row">
        {!table.over && next(words.nextDeal, game.next)}
        {table.over && next(words.newMatch, () => (game.session.shared ? game.next() : newMatch()))}
        <button type="button" class="large narrow" onClick={review}>{words.review}</button>
      </div>
    </>
  );
}
