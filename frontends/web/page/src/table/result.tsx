// The result of a deal on the felt, and the way to the next deal.

import { seatName } from "../language/sayings";
import { fill } from "../language/words";
import type { Person, Seat } from "../messages/messages";
import { SEATS } from "../messages/seats";
import { dealOfText, resultLines } from "./result-text";
import type { Scene } from "./scene";
import { SuitedText } from "./suited-text";

/** The result in words. */
export function ResultLines({ scene }: { scene: Scene }) {
  return resultLines(scene).map((line, i) => (
    <p key={i} class={i === 0 ? "result" : ""}>
      <SuitedText text={line} />
    </p>
  ));
}

/** The button of the review, for narrow windows, which have no panel. */
export function ReviewButton({ scene, openReview }: { scene: Scene; openReview(): void }) {
  return (
    <button type="button" class="large narrow" onClick={openReview}>
      {scene.speech.words.review}
    </button>
  );
}

/** Whether the next deal waits for a person: not for one who watches. */
const isAwaited = (person: Person | undefined): boolean => Boolean(person?.here && !person.bot);

interface ResultProps {
  scene: Scene;
  newMatch(): void;
  openReview(): void;
  /** Opens the score sheet. */
  openScore(): void;
}

export function Result({ scene, newMatch, openReview, openScore }: ResultProps) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const ready = table.ready ?? [];
  const isReady = ready.includes(table.you);
  // Once the person is ready, the next deal waits for the other persons.
  const awaited = isReady
    ? SEATS.filter((seat) => isAwaited(table.people?.[seat]) && !ready.includes(seat))
    : [];
  const names = (seats: Seat[]) => seats.map((seat) => seatName(table, seat, speech)).join(", ");
  const dealText = dealOfText(table, speech);
  const label = table.over ? words.newMatch : words.nextDeal;
  const waitText = table.over ? words.ends.othersWaitMatch : words.othersWait;
  const startsMatch = table.over && !game.session.sharedSeat;
  return (
    <>
      <ResultLines scene={scene} />
      {!table.over && (
        <p class="totals">
          {words.total}
          {words.colon}
          {speech.number(table.totals[table.you])}
          {table.target > 0 && !table.length && ` / ${speech.number(table.target)}`}
          {dealText && ` · ${dealText}`}
        </p>
      )}
      {ready.length > 0 && !isReady && <p>{fill(waitText, names(ready))}</p>}
      <div class="row">
        <button
          type="button"
          id="next"
          class="large"
          disabled={awaited.length > 0}
          onClick={startsMatch ? newMatch : game.nextDeal}
        >
          {awaited.length ? fill(words.waitingFor, names(awaited)) : label}
        </button>
        <ReviewButton scene={scene} openReview={openReview} />
        {table.over && (
          <button type="button" id="sheet" class="large" onClick={openScore}>
            {words.seen.sheet}
          </button>
        )}
      </div>
    </>
  );
}
