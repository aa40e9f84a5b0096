// Texts of the page in five languages, from ../../../words.

import de from "../../../words/de.json";
import en from "../../../words/en.json";
import fr from "../../../words/fr.json";
import lb from "../../../words/lb.json";
import nl from "../../../words/nl.json";

/** Texts of programs without the page. The built page does not have them. */
type ProgramTexts = "notStarted" | "noMistakes" | "costNothing" | "lostTricks";
type Terminal = Pick<(typeof en)["terminal"], "trickTo" | "trickToYou">;

/** Texts of the page. */
export type Words = Omit<typeof en, "terminal" | ProgramTexts> & { terminal: Terminal };

export const LANGUAGES: Readonly<Record<string, Words>> = { lb, nl, de, fr, en };

/** Returns the chosen language, or else the first known one of the browser, or else English. */
export function pageLanguage(chosen: string): string {
  const wanted = [chosen, ...navigator.languages.map((name) => name.slice(0, 2)), "en"];
  return wanted.find((name) => name && Object.hasOwn(LANGUAGES, name))!;
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
