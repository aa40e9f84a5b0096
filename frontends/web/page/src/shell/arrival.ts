// Arrival of a page in one file, which starts before all of it is there.

import { useEffect, useReducer } from "preact/hooks";

import { packed } from "../net/packed";

/** State of the file that the page comes from. */
interface Arrival {
  /** A feature that the page needs and this browser lacks. */
  lackingFeature: string | undefined;
  /** Whether the file ended too early. */
  isCutOff: boolean;
}

/** Returns the state of the file. The component is drawn again whenever more of it has arrived. */
export function useArrival(): Arrival {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    if (!packed) return;
    // More may have arrived since the component was drawn.
    redraw(0);
    return packed.parts.subscribe(() => redraw(0));
  }, []);
  return {
    lackingFeature: packed?.lackingFeature,
    isCutOff: packed?.parts.isCutOff ?? false,
  };
}
