// A long press with a finger, which explains what a mouse explains while it is over an element.

import { useRef } from "preact/hooks";

const LONG_PRESS_MS = 500;

/**
 * Returns a function that gives an element its handlers: a long press calls `explain`, and a click
 * calls `act`. The click that ends a long press does nothing.
 */
export function useLongPress() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isLong = useRef(false);
  const release = () => clearTimeout(timer.current);
  return (explain: () => void, act: () => void) => ({
    onPointerDown: ({ pointerType, currentTarget }: PointerEvent) => {
      isLong.current = false;
      release();
      if (pointerType === "mouse") return;
      timer.current = setTimeout(() => {
        // The offer may have gone during the press.
        if (!(currentTarget as Element).isConnected) return;
        isLong.current = true;
        explain();
      }, LONG_PRESS_MS);
    },
    onPointerUp: release,
    onPointerCancel: release,
    onPointerLeave: release,
    onContextMenu: (event: Event) => {
      if (isLong.current) event.preventDefault();
    },
    onClick: ({ detail }: MouseEvent) => {
      // A key clicks, too, and has no detail.
      if (!isLong.current || detail === 0) act();
      isLong.current = false;
    },
  });
}
