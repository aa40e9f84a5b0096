// The menu of phrases that a person at a shared table can say.

import { useState } from "preact/hooks";

import { PHRASES } from "../match/phrases";
import type { Phrase } from "../messages/messages";
import type { Scene } from "./scene";

export function PhraseMenu({ scene: { game, speech } }: { scene: Scene }) {
  const { phrases } = speech.words;
  const [isOpen, setOpen] = useState(false);
  const say = (phrase: Phrase) => {
    setOpen(false);
    game.say(phrase);
  };
  return (
    <>
      <button
        type="button"
        id="phrases"
        aria-label={phrases.menu}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <svg viewBox="0 0 20 18" width="20" height="18" fill="currentColor" aria-hidden="true">
          <path d="M4 1h12q3 0 3 3v6q0 3-3 3H9l-5 4v-4q-3 0-3-3V4q0-3 3-3z" />
        </svg>
      </button>
      {isOpen && (
        <fieldset class="phrases">
          <legend class="hidden">{phrases.menu}</legend>
          {PHRASES.map((phrase) => (
            <button type="button" key={phrase} data-phrase={phrase} onClick={() => say(phrase)}>
              {phrases[phrase]}
            </button>
          ))}
        </fieldset>
      )}
    </>
  );
}
