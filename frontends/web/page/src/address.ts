// The wishes in the address of the page: a language, rules, a deal, a seat at a shared table.

import { useEffect } from "preact/hooks";

import type { Game } from "./game";
import { isAlone, SETS } from "./link";
import type { Opened } from "./match";
import type { GameRecord } from "./messages";
import { saved, type Settings } from "./saved";
import { unpacked } from "./urls";
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

/** A match for the address, also if the address asks for none. */
interface Wish extends Opened {
  /** Whether the address asks for this match. */
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

/** Parts of the page that following an address needs. */
interface Page {
  settings(): Settings;
  /** Reports an address that cannot be followed. */
  badLink(): void;
  /** Asks the person whether to sit down at a shared table. */
  invite(table: string): void;
  /** Leaves the match, after a question if something would be lost. */
  leave(then: () => void): void;
}

/**
 * Begins the match that the address asks for, and follows the part after the `#` when it changes.
 * Uses the `page` of the first call only.
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
