// Texts of the page. English is part of the script; other languages are loaded when needed.

import en from "../../../words/en.json";

/** Texts of programs without the page. The built page does not have them. */
type ProgramTexts = "notStarted" | "noMistakes" | "costNothing" | "lostTricks";
type Terminal = Pick<(typeof en)["terminal"], "trickTo" | "trickToYou">;

/** Texts of the page. */
export type Words = Omit<typeof en, "terminal" | ProgramTexts> & { terminal: Terminal };

/** Names of the languages by code, in the order of the selection list. */
export const LANGUAGE_NAMES: Readonly<Record<string, string>> = {
  lb: "Lëtzebuergesch",
  nl: "Nederlands",
  de: "Deutsch",
  fr: "Français",
  en: "English",
};

export const ENGLISH: Words = en;

/** Time to wait for the texts of a language before the page goes on without them. */
const LOADING_TIMEOUT_MS = 10_000;
/** Groups of names that differ by region. Not every language has the same ones. */
const REGIONAL_GROUPS = ["callsFlanders", "callsIwwa"];

const loaded: Record<string, Words> = { en };

/** Returns the chosen language, or else the first known one of the browser, or else English. */
export function pageLanguage(chosen: string): string {
  const wanted = [chosen, ...navigator.languages.map((name) => name.slice(0, 2)), "en"];
  return wanted.find((name) => name && Object.hasOwn(LANGUAGE_NAMES, name))!;
}

/** Whether the texts of a language are there. */
export const isLoaded = (language: string): boolean => Object.hasOwn(loaded, language);

/** Returns the texts of a language, or the English ones before they are loaded. */
export const wordsOf = (language: string): Words => (isLoaded(language) ? loaded[language] : en);

/** Whether `texts` has every text of `english`, also inside groups. */
function hasTexts(texts: unknown, english: unknown): boolean {
  if (typeof english !== "object") return typeof texts === typeof english;
  if (typeof texts !== "object" || texts === null) return false;
  return Object.entries(english!).every(
    ([key, text]) =>
      REGIONAL_GROUPS.includes(key) || hasTexts((texts as Record<string, unknown>)[key], text),
  );
}

/** Adds the texts of a language. Throws if the script of another version of the page needs them. */
export function addWords(language: string, words: unknown) {
  if (!hasTexts(words, en)) throw new Error(`the texts of ${language} are of another version`);
  loaded[language] = words as Words;
}

async function fetchWords(language: string): Promise<unknown> {
  // Older browsers lack `AbortSignal.timeout`.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), LOADING_TIMEOUT_MS);
  try {
    const response = await fetch(`words/${language}.json`, { signal: controller.signal });
    if (!response.ok) throw new Error(`words/${language}.json: status ${response.status}`);
    return await response.json();
  } finally {
    clearTimeout(timer);
  }
}

/** Loads the texts of a language. Rejects if they do not come; a later call tries again. */
export async function loadWords(language: string): Promise<void> {
  if (isLoaded(language)) return;
  // A page in one file has all texts inside.
  const packed = document.getElementById(`words-${language}`);
  addWords(language, packed ? JSON.parse(packed.textContent!) : await fetchWords(language));
}

/** First sounds, also of spoken numbers, before which a Luxembourgish word keeps its final n. */
const KEEPS_FINAL_N = /^[aeiouyäëéèêöüœhndtz12389]/i;

/**
 * Fills the gaps `{}` and `{name}` of a text. An n in brackets before a gap stays only if the
 * value of the gap needs it, as Luxembourgish spelling demands.
 */
export function fill(text: string, gaps: string | Record<string, string | number> = {}): string {
  const values: Record<string, string | number> = typeof gaps === "string" ? { "": gaps } : gaps;
  const replace = (_: string, n: string | undefined, blank = "", name: string) => {
    const value = String(values[name] ?? "");
    return (n && KEEPS_FINAL_N.test(value) ? n : "") + blank + value;
  };
  return text.replace(/(?:\((nn?)\)( ))?\{(\w*)\}/g, replace);
}
