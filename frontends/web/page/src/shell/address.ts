// Requests in the address of the page: a language, rules, a deal, a seat at a shared table.

import { useLayoutEffect } from "preact/hooks";

import { LANGUAGE_NAMES, pageLanguage } from "../language/words";
import { isDailyDate } from "../match/daily";
import type { Game } from "../match/game";
import { type HouseRules, unpackHouseRules } from "../match/house-rules";
import type { MatchRequest } from "../match/match";
import { type Settings, saved } from "../match/storage";
import type { GameRecord } from "../messages/messages";
import { isStandalone, PLAYABLE_RULES } from "../net/packed";
import { BUILT_IN_NAMES } from "../net/rulesets";
import { unpackRecord } from "../net/urls";
import { isEmbedded } from "./embedded";

const TABLE_SECRET = /^[\w-]{16,64}$/;
/** Seeds that are exact as JavaScript numbers. */
const SEED = /^\d{1,15}$/;

/**
 * Returns the rules of a first visit: house rules if some are `offered`, otherwise those of the
 * language and region, `nl` and `nl-BE` for example.
 */
export function firstRules(offered: string[], language: string, locale: string): string {
  const houseRules = offered.find((rules) => !Object.hasOwn(BUILT_IN_NAMES, rules));
  if (houseRules !== undefined) return houseRules;
  const region = locale.split("-").at(-1);
  if (region === "LU") return "luxembourg";
  return region === "BE" || language === "nl" ? "wiezen" : "luxembourg";
}

/**
 * Returns the settings of this browser, with the language of the address if it names one. Rules
 * that were never chosen are those of a first visit.
 */
export function firstSettings(): Settings {
  const settings = saved.settings();
  const language = new URLSearchParams(location.search).get("lang") ?? "";
  if (Object.hasOwn(LANGUAGE_NAMES, language)) settings.language = language;
  if (settings.rules) return settings;
  const spoken = pageLanguage(settings.language);
  return { ...settings, rules: firstRules(PLAYABLE_RULES, spoken, navigator.language) };
}

/** The match for an address. */
export interface AddressMatch {
  request: MatchRequest;
  /** Whether the address asks for this match. Otherwise the settings do. */
  isRequested: boolean;
  /** Date of the daily deal that the address asks for, `null` for none. */
  daily: string | null;
  /** Whether the address leads to a table even if no match is stored: it has `#play`. */
  isPlay: boolean;
  /** Whether the address has a record or a date that cannot be played. */
  isBroken: boolean;
}

/** Returns the record in the address, `null` if it has none, "broken" if it cannot be played. */
function readRecord(hash: URLSearchParams): GameRecord | "broken" | null {
  const text = hash.get("record");
  if (text === null) return null;
  try {
    const record = unpackRecord(text) as Partial<GameRecord> | null;
    const isPlayable = typeof record?.deal === "string" && PLAYABLE_RULES.includes(record.rules!);
    return isPlayable ? (record as GameRecord) : "broken";
  } catch {
    return "broken";
  }
}

/**
 * Returns the match for the query and the hash of an address. The hash has priority over the
 * query. `usualRules` are played if the address names no known rules.
 */
export function matchInAddress(search: string, hash: string, usualRules: string): AddressMatch {
  const query = new URLSearchParams(search);
  const fragment = new URLSearchParams(hash.slice(1));
  const wish = (name: string) => fragment.get(name) ?? query.get(name);
  const found = readRecord(fragment);
  const record = found === null || found === "broken" ? undefined : found;
  const candidates = [record?.rules, wish("rules"), usualRules];
  const isPlayable = (name?: string | null) => PLAYABLE_RULES.includes(name!);
  const rules = candidates.find(isPlayable) ?? PLAYABLE_RULES[0];
  const daily = fragment.get("daily");
  const isDaily = daily !== null && isDailyDate(daily);
  const isNoDaily = daily !== null && !isDaily;
  const number = wish("seed");
  const seed = number !== null && SEED.test(number) ? Number(number) : undefined;
  return {
    request: { rules, seed, record },
    isRequested:
      !isNoDaily && (record !== undefined || seed !== undefined || wish("rules") === rules),
    daily: isDaily ? daily : null,
    // A deal that cannot be read is replaced by another one, but not a daily deal.
    isPlay: fragment.has("play") || found === "broken",
    isBroken: found === "broken" || isNoDaily,
  };
}

/** Parts of the page that following an address needs. */
interface AddressCallbacks {
  settings(): Settings;
  /** Reports an address that cannot be followed. */
  reportBadLink(): void;
  /** Asks the person whether to sit down at a shared table. */
  invite(table: string): void;
  /** Opens the editor of house rules. */
  editHouseRules(house: HouseRules): void;
  /** Leaves the match, after a question if something would be lost. */
  leaveMatch(then: () => void): void;
  startMatch(request: MatchRequest): void;
  startDaily(date: string, rules: string): void;
  /** Notes that the address was followed for the first time. A plain one asks for nothing. */
  arrived(isPlain: boolean): void;
}

/** Offers a seat at the shared table that the hash of the address names. */
function followInvitation(hash: string, { reportBadLink, invite }: AddressCallbacks) {
  const table = new URLSearchParams(hash.slice(1)).get("table");
  if (!table) return;
  if (!TABLE_SECRET.test(table)) reportBadLink();
  else if (!isStandalone && saved.sharedSeat()?.table !== table) invite(table);
}

/**
 * Resumes the match, or begins the one that the address asks for. Follows the hash when it changes.
 * Uses the `callbacks` of the first call only.
 */
export function useAddress({ session }: Game, callbacks: AddressCallbacks) {
  // Before the first paint, which is that of the table or of the start screen.
  useLayoutEffect(() => {
    const follow = (isFirst: boolean) => {
      const { search, hash, pathname } = location;
      const { request, isRequested, daily, isPlay, isBroken } = matchInAddress(
        search,
        hash,
        callbacks.settings().rules,
      );
      // A hash is followed once: a reload resumes the match that it led to.
      if (hash) history.replaceState(history.state, "", pathname + search);
      if (isBroken) callbacks.reportBadLink();
      followInvitation(hash, callbacks);
      const house = unpackHouseRules(hash.slice(1));
      if (house) callbacks.editHouseRules(house);
      if (daily) {
        if (isFirst) session.resume();
        return callbacks.startDaily(daily, request.rules);
      }
      const needsTable = isRequested || isPlay || isEmbedded();
      if (isFirst && (needsTable ? session.resumeOrStart(request) : !session.resume())) return;
      // The query stays in the address. It led to the own match, which waits beside the side match.
      if (isFirst && session.side && !hash) return;
      const stored = isFirst ? session.match : null;
      const isStored =
        stored?.rules === request.rules &&
        (request.seed === undefined || stored.seed === request.seed) &&
        !request.record;
      if (isBroken || !isRequested || isStored) return;
      callbacks.leaveMatch(() => callbacks.startMatch(request));
    };
    const { isRequested, isPlay } = matchInAddress(location.search, location.hash, "");
    const isPlain = !isRequested && !isPlay && !location.hash;
    follow(true);
    callbacks.arrived(isPlain);
    const onHash = () => {
      if (location.hash.length > 1) follow(false);
    };
    addEventListener("hashchange", onHash);
    return () => removeEventListener("hashchange", onHash);
  }, []);
}
