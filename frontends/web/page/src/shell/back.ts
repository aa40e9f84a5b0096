// The Back button of the browser closes the topmost layer over the table. It leaves the page only
// if nothing is open.

import { useEffect, useRef } from "preact/hooks";

/** Returns the number of open layers in the current entry of the browser's history. */
export const layersInHistory = (): number => Number(history.state?.open ?? 0);

/**
 * Keeps one entry of the browser's history for each of `layers` open layers. When the person goes
 * back, `closeTop` closes the topmost one.
 */
export function useBack(layers: number, closeTop: () => void) {
  const latest = useRef({ layers, closeTop });
  latest.current = { layers, closeTop };
  // Going back takes a moment; until then the entry that is left is still the current one.
  const isLeaving = useRef(false);
  const updateHistory = useRef(() => {
    if (isLeaving.current) return;
    const missing = latest.current.layers - layersInHistory();
    for (let added = 0; added < missing; added++) {
      history.pushState({ open: layersInHistory() + 1 }, "");
    }
    if (missing < 0) {
      isLeaving.current = true;
      history.go(missing);
    }
  });
  useEffect(() => {
    const moved = () => {
      const wasLeaving = isLeaving.current;
      isLeaving.current = false;
      if (!wasLeaving && latest.current.layers > layersInHistory()) latest.current.closeTop();
      else updateHistory.current();
    };
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  useEffect(() => updateHistory.current(), [layers]);
}
