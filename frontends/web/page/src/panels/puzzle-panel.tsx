// A puzzle: the question above the felt, and the result of the answer.

import { actionText } from "../language/sayings";
import { fill } from "../language/words";
import { isRightAnswer, puzzleChoice, puzzleReason } from "../match/puzzle-answer";
import type { Puzzle, PuzzleKind } from "../match/puzzles";
import { saved } from "../match/storage";
import { replayAuction } from "../messages/auction";
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

/** Whether the answer is right, the points of the plausible actions, and a reason. */
function PuzzleResult({ scene, puzzle, answer }: PuzzlePanelProps & { answer: string }) {
  const { table, speech } = scene;
  const { puzzles } = speech.words;
  const { auction } = replayAuction(table.history.slice(0, table.calls));
  const name = (code: string) => actionText(speech, auction, table.you, code, table.phase);
  const isRight = isRightAnswer(puzzle, table, answer);
  const best = puzzle.right[0].action;
  const reason = puzzleReason(puzzle, table, answer);
  const texts = [
    isRight ? fill(puzzles.right, name(answer)) : fill(puzzles.wrong, name(best)),
    reason ? reasonText(table, speech, puzzleChoice(puzzle, table, answer), reason, name) : "",
    candidatesText([...puzzle.right, ...puzzle.wrong], speech, name),
  ];
  return (
    <p role="status" class={isRight ? "right" : "wrong"}>
      <SuitedText text={texts.filter(Boolean).join(" ")} />
    </p>
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
  const title = puzzles[puzzle.kind];
  return (
    <section class="coach puzzle" aria-label={title}>
      <div>
        <b>{title}</b>
        <PuzzleScore speech={scene.speech} />
      </div>
      {answer && <PuzzleResult {...{ scene, puzzle, startPuzzle, answer }} />}
      {answer && (
        <button type="button" id="next" class="large" onClick={() => startPuzzle(puzzle.kind)}>
          {puzzles.next}
        </button>
      )}
    </section>
  );
}
