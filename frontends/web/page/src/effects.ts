// Effects of the page that need no element of their own.

import { useEffect, useRef, useState } from "preact/hooks";

import { isAlone } from "./link";
import { SEATS, type Table } from "./messages";
import type { Settings } from "./saved";
import { fill, type Words } from "./words";

/** Registers the service worker, where the page comes from a server. */
export function useServiceWorker() {
  useEffect(() => {
    if (!("serviceWorker" in navigator) || isAlone || !location.protocol.startsWith("http")) return;
    void navigator.serviceWorker.register("sw.js").catch(console.error);
  }, []);
}

/** Writes the settings that the style sheet depends on into the document. */
export function useAppearance(language: string, settings: Settings) {
  useEffect(() => {
    const { documentElement: root } = document;
    root.lang = language;
    root.dataset.theme = settings.theme;
    root.classList.toggle("four", settings.fourColours);
    root.dataset.speed = String(settings.speed);
  }, [language, settings]);
}

/** Focuses the button of the next deal after a deal, so that Enter goes on for keyboard users. */
export function useFocusOnNext(over: boolean) {
  useEffect(() => {
    if (over && document.activeElement === document.body) document.getElementById("next")?.focus();
  }, [over]);
}

/** Reports the persons at a shared table that sit down, are away or have left. */
export function usePresence(table: Table | null, words: Words, tell: (text: string) => void) {
  const people = useRef<Table["people"]>(undefined);
  const present = table?.people && JSON.stringify(table.people);
  useEffect(() => {
    const [before, now] = [people.current, table?.people];
    people.current = now;
    if (!before || !now) return;
    for (const seat of SEATS) {
      const [was, is] = [before[seat], now[seat]];
      if (is && was?.name !== is.name) tell(fill(words.sitsDown, is.name));
      else if (was && !is) tell(fill(words.hasLeft, was.name));
      else if (was?.here && is && !is.here) tell(fill(words.isAway, is.name));
    }
  }, [present]);
}

/** Returns whether the window is too narrow to show the panel beside the table. */
export function useIsNarrow(): boolean {
  const [isNarrow, narrow] = useState(() => matchMedia("(max-width: 60rem)").matches);
  useEffect(() => {
    const query = matchMedia("(max-width: 60rem)");
    const changed = () => narrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return isNarrow;
}
