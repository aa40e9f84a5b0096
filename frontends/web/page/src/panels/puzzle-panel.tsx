// A puzzle: the question above the felt, and the result of the answer.

import { actionText } from "../language/sayings";
import { fill } from "../language/words";
import { isRightAnswer, puzzleChoice, puzzleReason } from "../match/puzzle-answer";
import type { Puzzle, PuzzleKind } from "../match/puzzles";
import { saved } from "../match/storage";
import { replayAuction } from "../messages/auction";
import { ruleSetName } from "../net/rulesets";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";
import { candidatesText } from "./judged-decision";
import { reasonText } from "./reason-text";

/** The person's rating with its explanation, and the right answers in a row. */
function PuzzleScore({ speech }: Pick<Scene, "speech">) {
  const { puzzles } = speech.words;
  const { rating, streak } = saved.puzzles();
  return (
    <details class="rating">
      <summary>
        {fill(puzzles.rating, String(rating))}
        {streak > 0 && <> · {speech.count(puzzles.streak, streak)}</>}
      </summary>
      <p>{puzzles.ratingText}</p>
    </details>
  );
}

/** Returns whether the answer is best, a reason, and the points of the plausible actions. */
function resultText({ table, speech }: Scene, puzzle: Puzzle, answer: string): string {
  const { puzzles } = speech.words;
  const { auction } = replayAuction(table.history.slice(0, table.calls));
  const name = (code: string) => actionText(speech, auction, table.you, code, table.phase);
  const choice = puzzleChoice(puzzle, table, answer);
  const reason = puzzleReason(puzzle, table, answer);
  const isRight = isRightAnswer(puzzle, table, answer);
  const listed = [...puzzle.right, ...puzzle.wrong];
  // A card that touches a listed one is worth the same.
  if (isRight && listed.every(({ action }) => action !== answer))
    listed.unshift({ action: answer, points: puzzle.right[0].points });
  const texts = [
    isRight ? fill(puzzles.right, name(answer)) : fill(puzzles.wrong, name(choice.best)),
    reason ? reasonText(table, speech, choice, reason, name) : "",
    candidatesText(listed, speech, name),
  ];
  return texts.filter(Boolean).join(" ");
}

interface PuzzlePanelProps {
  scene: Scene;
  puzzle: Puzzle;
  startPuzzle(kind: PuzzleKind): void;
}

export function PuzzlePanel({ scene, puzzle, startPuzzle }: PuzzlePanelProps) {
  const { puzzles } = scene.speech.words;
  const answer = scene.game.session.side?.answer;
  const isRight = answer !== undefined && isRightAnswer(puzzle, scene.table, answer);
  const title = puzzles[puzzle.kind];
  return (
    <section class="coach puzzle" aria-label={title}>
      <div>
        <b>
          {title} · {ruleSetName(puzzle.rules)}
        </b>
        <PuzzleScore speech={scene.speech} />
      </div>
      <p role="status" class={answer && (isRight ? "right" : "wrong")}>
        {answer && <SuitedText text={resultText(scene, puzzle, answer)} />}
      </p>
      {answer && (
        <button type="button" id="next" class="large" onClick={() => startPuzzle(puzzle.kind)}>
          {puzzles.next}
        </button>
      )}
    </section>
  );
}
