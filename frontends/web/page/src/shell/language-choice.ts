// The choice of the language, whose texts may have to be loaded first.

import { useEffect, useRef } from "preact/hooks";

import type { Question } from "../dialogs/question";
import {
  fill,
  isLoaded,
  LANGUAGE_NAMES,
  loadWords,
  pageLanguage,
  type Words,
} from "../language/words";
import type { Settings } from "../match/storage";

/**
 * Returns the function that chooses a language. The page keeps its language until the texts of the
 * other one are there. If they do not come, also at the start, `ask` offers another attempt.
 */
export function useLanguageChoice(
  words: Words,
  settings: Settings,
  changeSettings: (changes: Partial<Settings>) => void,
  ask: (question: Question) => void,
): (language: string) => void {
  const last = useRef("");
  const askToRetry = (language: string) => {
    const { failed, retry } = words.translation;
    const text = fill(failed, LANGUAGE_NAMES[language]);
    ask({ text, yes: retry, no: words.cancel, onYes: () => choose(language) });
  };
  const choose = async (language: string) => {
    last.current = language;
    const error = await loadWords(language).catch((error: Error) => error);
    // The person has chosen another one meanwhile.
    if (last.current !== language) return;
    if (error) askToRetry(language);
    else changeSettings({ language });
  };
  useEffect(() => {
    const wanted = pageLanguage(settings.language);
    if (!isLoaded(wanted)) askToRetry(wanted);
  }, []);
  return choose;
}
