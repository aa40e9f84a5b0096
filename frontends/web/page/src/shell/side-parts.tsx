// The parts of the table that depend on the side match: above the felt, and at the end of a deal.

import type { Bubble, LessonName } from "../match/lessons";
import { puzzleOf } from "../match/puzzle-progress";
import type { PuzzleKind } from "../match/puzzles";
import { Coach, LessonEnd } from "../panels/coach";
import { DailyEnd, DailyRule } from "../panels/daily-end";
import { KeptDealEnd } from "../panels/kept-deal-end";
import { PuzzlePanel } from "../panels/puzzle-panel";
import { Result } from "../table/result";
import type { Scene } from "../table/scene";

interface SideHeadProps {
  scene: Scene;
  /** Bubble of the coach of a lesson. */
  bubble: Bubble | null;
  startPuzzle(kind: PuzzleKind): void;
}

/** The coach of a lesson, the rule of the daily deal, or a puzzle; nothing in an own match. */
export function SideHead({ scene, bubble, startPuzzle }: SideHeadProps) {
  const { match, side } = scene.game.session;
  switch (side?.kind) {
    case "lesson":
      return <Coach scene={scene} name={side.name as LessonName} bubble={bubble} />;
    case "daily":
      return <DailyRule scene={scene} date={side.name} />;
    case "puzzle": {
      const puzzle = puzzleOf(match!);
      return puzzle && <PuzzlePanel scene={scene} puzzle={puzzle} startPuzzle={startPuzzle} />;
    }
  }
  return null;
}

interface DealEndProps {
  scene: Scene;
  startLesson(name: LessonName): void;
  newMatch(): void;
  openReview(): void;
  openScore(): void;
  /** Opens the start screen. */
  goHome(): void;
  /** Opens the person's games on the start screen. */
  backToGames(): void;
}

/** The result of a deal, and the ways on. */
export function DealEnd(props: DealEndProps) {
  const { scene, startLesson, newMatch, openReview, openScore, goHome, backToGames } = props;
  const { side } = scene.game.session;
  if (side?.kind === "lesson") {
    const name = side.name as LessonName;
    return <LessonEnd scene={scene} name={name} startLesson={startLesson} goHome={goHome} />;
  }
  if (side?.kind === "daily") {
    return <DailyEnd scene={scene} date={side.name} openReview={openReview} goHome={goHome} />;
  }
  if (side?.kind === "kept") {
    return <KeptDealEnd scene={scene} openReview={openReview} leave={backToGames} />;
  }
  return <Result scene={scene} newMatch={newMatch} openReview={openReview} openScore={openScore} />;
}
