// The three views of the page, and their layers in the history of the browser.

import { useRef } from "preact/hooks";

import { layersInHistory } from "./back";

/** View of the page: the start screen, the table of a match, or the table of a side match. */
export type View = "door" | "table" | "side";

/** Number of layers of each view over the view that the page opened with. */
const LAYERS: Readonly<Record<"door" | "table", Readonly<Record<View, number>>>> = {
  door: { door: 0, table: 1, side: 1 },
  table: { table: 0, door: 1, side: 2 },
};

/**
 * Returns the number of layers of `view`, and a function that notes the view that the page opened
 * with. A side match is opened from the start screen.
 */
export function useViewLayers(view: View): { layers: number; noteFirst(view: View): void } {
  const first = useRef<"door" | "table" | null>(null);
  return {
    layers: first.current ? LAYERS[first.current][view] : 0,
    noteFirst: (opened) => {
      // After a reload above the start screen, its entry is still in the history.
      const isReload = layersInHistory() > 0;
      first.current = opened === "table" && !isReload ? "table" : "door";
    },
  };
}
