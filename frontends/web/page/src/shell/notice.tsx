// The notice above the table: the reason why the match does not go on as usual, and the remedies.

import { fill, type Words } from "../language/words";
import type { Game } from "../match/game";
import { refusalText } from "../table/prompt";
import { useArrival } from "./arrival";

interface NoticeProps {
  game: Game;
  words: Words;
  /** Name of the rules of the match. */
  rules: string;
  newMatch(): void;
  leaveTable(): void;
}

export function Notice({ game, words, rules, newMatch, leaveTable }: NoticeProps) {
  const { session } = game;
  const { lackingFeature, isCutOff } = useArrival();
  if (lackingFeature || isCutOff)
    return (
      <p class="notice" role="alert">
        {lackingFeature ? fill(words.lacking, lackingFeature) : words.incomplete}
      </p>
    );
  const newMatchButton = (
    <button type="button" class="new" onClick={newMatch}>
      {words.newMatch}
    </button>
  );
  switch (session.notice) {
    case "lost":
      return (
        <p class="notice" role="alert">
          {words.lost}
        </p>
      );
    case "away":
      return (
        <p class="notice" role="alert">
          {fill(words.keptAway, rules)} {newMatchButton}
        </p>
      );
    case "absent":
      return (
        <p class="notice" role="alert">
          {fill(words.keptRules, rules)} {newMatchButton}
        </p>
      );
    case "unknown":
      return (
        <p class="notice" role="alert">
          {words.keptUnread} {newMatchButton}
        </p>
      );
    case "misfit":
      return (
        <p class="notice" role="alert">
          {words.keptMisfit}{" "}
          <button type="button" id="drop" onClick={() => session.dropDeals()}>
            {words.goOnBefore}
          </button>{" "}
          {newMatchButton}
        </p>
      );
    case "moved":
      return (
        <p class="notice" role="alert">
          {words.moved}{" "}
          <button type="button" id="retake" onClick={() => session.retake()}>
            {words.playHere}
          </button>
        </p>
      );
    case "offline":
      return (
        <p class="notice" role="status">
          {words.offline}
        </p>
      );
  }
  // At a table the prompt has the refusal.
  const refusal = session.isIdle ? refusalText(game, words) : "";
  if (refusal)
    return (
      <p class="notice" role="alert">
        {refusal}
      </p>
    );
  if (!session.sharedSeat || (game.table && !game.table.watching)) return null;
  return (
    <p class="notice" role="status">
      {game.table ? words.nextIsYours : words.busy}{" "}
      <button type="button" onClick={leaveTable}>
        {words.leaveTable}
      </button>
    </p>
  );
}
