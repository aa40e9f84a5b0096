// The browser's Back button closes what is open over the table, and does not leave the page.

import { useEffect, useRef } from "preact/hooks";

/** Number of things open over the table, as the current entry of the browser's history has it. */
const depthThere = (): number => Number(history.state?.open ?? 0);

/**
 * Keeps one entry of the browser's history for each thing that is open over the table. `close` closes the
 * topmost when the person goes back.
 */
export function useBack(depth: number, close: () => void) {
  const open = useRef({ depth, close });
  open.current = { depth, close };
  // Going back takes a moment; until then the entry that is left is still the current one.
  const isLeaving = useRef(false);
  const follow = useRef(() => {
    if (isLeaving.current) return;
    const steps = open.current.depth - depthThere();
    for (let step = 1; step <= steps; step++) history.pushState({ open: depthThere() + 1 }, "");
    if (steps < 0) {
      isLeaving.current = true;
      history.go(steps);
    }
  });
  useEffect(() => {
    const moved = () => {
      const wasLeaving = isLeaving.current;
      isLeaving.current = false;
      if (!wasLeaving && open.current.depth > depthThere()) open.current.close();
      else follow.current();
    };
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  useEffect(() => follow.current(), [depth]);
}
