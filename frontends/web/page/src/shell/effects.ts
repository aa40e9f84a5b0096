// Effects of the page without an element of their own.

import { useEffect, useRef, useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import { fill, type Words } from "../language/words";
import { StandIn } from "../match/stand-in";
import type { Settings } from "../match/storage";
import type { Table } from "../messages/messages";
import { SEATS } from "../messages/seats";
import { isStandalone } from "../net/packed";

/** Windows without room for the panel beside the table. */
const NARROW_WINDOW = "(max-width: 60rem)";

/** Registers the service worker if the page comes from a server. */
export function useServiceWorker() {
  useEffect(() => {
    const isServed = !isStandalone && location.protocol.startsWith("http");
    if (!("serviceWorker" in navigator) || !isServed) return;
    void navigator.serviceWorker.register("sw.js").catch(console.error);
  }, []);
}

/** Writes the settings that the style sheet depends on into the document. */
export function useAppearance(language: string, settings: Settings) {
  useEffect(() => {
    const { documentElement: root } = document;
    root.lang = language;
    root.dataset.theme = settings.theme;
    root.dataset.felt = settings.felt;
    root.dataset.back = settings.back;
    root.classList.toggle("four", settings.fourColours);
    root.classList.toggle("large-cards", settings.largeCards);
    root.classList.toggle("large-text", settings.largeText);
    root.classList.toggle("both-corners", settings.bothCorners);
    root.classList.toggle("courts", settings.courts);
    root.dataset.speed = String(settings.speed);
  }, [language, settings]);
}

/** Focuses the button of the next deal after a deal, so that Enter leads on. */
export function useFocusOnNext(isOver: boolean) {
  useEffect(() => {
    const isFree = document.activeElement === document.body;
    if (isOver && isFree) document.getElementById("next")?.focus({ preventScroll: true });
  }, [isOver]);
}

/** Reports persons at a shared table who sit down, lose their connection or leave. */
export function usePresence(
  table: Table | null,
  words: Words,
  showBriefly: (text: string) => void,
) {
  const people = useRef<Table["people"]>(undefined);
  const presence = table?.people && JSON.stringify(table.people);
  useEffect(() => {
    const [before, now] = [people.current, table?.people];
    people.current = now;
    if (!before || !now) return;
    for (const seat of SEATS) {
      const [was, is] = [before[seat], now[seat]];
      if (is && was?.name !== is.name) showBriefly(fill(words.sitsDown, is.name));
      else if (was && !is) showBriefly(fill(words.hasLeft, was.name));
      else if (was?.here && is && !is.here) showBriefly(fill(words.isAway, is.name));
      // The message that the person is away is not true any more.
      else if (was && !was.here && is?.here) showBriefly("");
    }
  }, [presence]);
}

/** Reports a bot that plays in the person's place, and the cards that it played meanwhile. */
export function useStandIn(
  table: Table | null,
  speech: Speech,
  showMessage: (text: string, isLasting?: boolean) => void,
) {
  const [standIn] = useState(() => new StandIn());
  useEffect(() => {
    const news = table && standIn.follow(table);
    if (!news) return;
    const { botPlays, botPlayed, botPlayedCards } = speech.words.ends;
    if (news.kind === "stopped") showMessage("");
    else if (news.kind === "plays") showMessage(botPlays);
    else showMessage(news.cards ? speech.count(botPlayedCards, news.cards) : botPlayed, true);
  }, [table]);
}

/** Returns whether the window is too narrow to show the panel beside the table. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW_WINDOW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW_WINDOW);
    const changed = () => setIsNarrow(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return isNarrow;
}
