// A puzzle: the question above the felt, and the result of the answer.

import { fill } from "../language/words";
import { isRightAnswer } from "../match/puzzle-answer";
import type { Puzzle, PuzzleKind } from "../match/puzzles";
import { saved } from "../match/storage";
import { ruleSetName } from "../net/rulesets";
import type { Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";
import { puzzleText } from "./puzzle-text";

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
        {answer && <SuitedText text={puzzleText(scene, puzzle, answer)} />}
      </p>
      {answer && (
        <button type="button" id="next" class="large" onClick={() => startPuzzle(puzzle.kind)}>
          {puzzles.next}
        </button>
      )}
    </section>
  );
}
