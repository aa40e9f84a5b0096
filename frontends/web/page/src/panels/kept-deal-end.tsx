// The end of a kept deal that is shown again.

import { ResultLines, ReviewButton } from "../table/result";
import type { Scene } from "../table/scene";

interface KeptDealEndProps {
  scene: Scene;
  openReview(): void;
  /** Leaves the deal for the dialog that it was opened from. */
  leave(): void;
}

export function KeptDealEnd({ scene, openReview, leave }: KeptDealEndProps) {
  const { words } = scene.speech;
  return (
    <>
      <ResultLines scene={scene} />
      <div class="row">
        <button type="button" id="next" class="large" onClick={leave}>
          {words.door.games}
        </button>
        <ReviewButton scene={scene} openReview={openReview} />
      </div>
    </>
  );
}
