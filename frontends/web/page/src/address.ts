// What the address of the page asks for: a language, rules, a deal, a seat at a shared table.

import { useEffect } from "preact/hooks";

import type { Game } from "./game";
import { isAlone, SETS } from "./link";
import { unpacked } from "./links";
import type { Opened } from "./match";
import type { GameRecord } from "./messages";
import { saved, type Settings } from "./saved";
import { LANGUAGES, pageLanguage } from "./words";

const query = new URLSearchParams(location.search);

/**
 * Returns the settings of this browser, with the language of the address if it names one. Rules
 * that were never chosen are those played where the language is spoken.
 */
export function firstSettings(): Settings {
  const settings = saved.settings();
  const asked = query.get("lang") ?? "";
  if (Object.hasOwn(LANGUAGES, asked)) settings.language = asked;
  const isBelgian = pageLanguage(settings.language) === "nl" || navigator.language.endsWith("-BE");
  return { ...settings, rules: settings.rules || (isBelgian ? "wiezen" : "luxembourg") };
}

/** A match as the address asks for it. */
interface Wish extends Opened {
  /** Whether the address asks for this match, rather than for none. */
  isWish: boolean;
  /** Whether the address has a record that cannot be played. */
  isBad: boolean;
}

function wish(settings: Settings): Wish {
  const hash = new URLSearchParams(location.hash.slice(1));
  const asked = (name: string) => hash.get(name) ?? query.get(name);
  let record: GameRecord | undefined;
  let isBad = false;
  try {
    record = hash.has("record") ? (unpacked(hash.get("record")!) as unknown as GameRecord) : undefined;
    isBad = hash.has("record") && !(typeof record?.deal === "string" && SETS.includes(record.rules));
  } catch {
    isBad = true;
  }
  if (isBad) record = undefined;
  const names = [record?.rules, asked("rules"), settings.rules, SETS[0]];
  const rules = names.find((name) => name && SETS.includes(name))!;
  const number = asked("seed");
  const seed = number !== null && /^\d{1,15}$/.test(number) ? Number(number) : undefined;
  const isWish = record !== undefined || seed !== undefined || asked("rules") === rules;
  return { rules, seed, record: record?.rules === rules ? record : undefined, isWish, isBad };
}

/** The page around a game that follows the address. */
interface Page {
  settings(): Settings;
  /** Reports that the address cannot be followed. */
  badLink(): void;
  /** Asks the person whether to sit down at a shared table. */
  invite(table: string): void;
  /** Leaves the match, after a question if something would be lost. */
  leave(then: () => void): void;
}

/**
 * Begins the game as the address asks, and follows the part after the `#` whenever it changes.
 * `page` is that of the first call.
 */
export function useAddress(game: Game, page: Page) {
  useEffect(() => {
    const { session } = game;
    const take = (isFirst: boolean) => {
      const asked = wish(page.settings());
      const table = new URLSearchParams(location.hash.slice(1)).get("table") ?? "";
      // A link is followed once: a reload goes on with the match that it led to.
      if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
      if (asked.isBad) page.badLink();
      if (table && !/^[\w-]{16,64}$/.test(table)) page.badLink();
      else if (table && !isAlone && saved.shared()?.table !== table) page.invite(table);
      if (isFirst && session.begin(asked)) return;
      const kept = isFirst ? session.match : null;
      const isSame = kept?.rules === asked.rules && (asked.seed === undefined || kept.seed === asked.seed)
        && !asked.record;
      if (asked.isBad || !asked.isWish || isSame) return;
      page.leave(() => session.open(asked));
    };
    take(true);
    const onHash = () => { if (location.hash.length > 1) take(false); };
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
}
