// The header bar: title, rules, language, and the buttons that open dialogs.

import type { DialogName } from "./dialog";
import type { Opened } from "./match";
import type { Settings } from "./saved";
import { LanguageSelect, RulesSelect } from "./select";
import type { Speech } from "./words";

/** Drawing of a group of persons. */
const People = () => (
  <svg viewBox="0 0 24 16" width="24" height="16" fill="currentColor" aria-hidden="true">
    <circle cx="8" cy="4" r="3.5" /><path d="M1 16c0-5 3-7.5 7-7.5s7 2.5 7 7.5z" />
    <circle cx="17" cy="5" r="2.8" /><path d="M16.5 16c0-3-.7-5-1.8-6.3 4-1 7.3 1 7.3 6.3z" />
  </svg>
);

interface Props {
  speech: Speech;
  /** Whether this window sits at a shared table. */
  isShared: boolean;
  change(some: Partial<Settings>): void;
  open(opened: Opened): void;
  newMatch(): void;
  show(dialog: DialogName): void;
}

export function Bar({ speech, isShared, change, open, newMatch, show }: Props) {
  const { words } = speech;
  return (
    <header class="bar">
      <h1>Troel</h1>
      <label class="rules"><span class="hidden">{words.rules}</span>
        <RulesSelect id="rules" speech={speech} open={open} />
      </label>
      <label class="language"><span class="hidden">{words.language}</span>
        <LanguageSelect id="language" speech={speech} change={change} />
      </label>
      {isShared && (
        <button type="button" id="people" onClick={() => show("together")} aria-label={words.together}>
          <People />
        </button>
      )}
      <button type="button" id="new" onClick={newMatch}>{words.newMatch}</button>
      <button type="button" id="panel" class="narrow" onClick={() => show("panel")}
        aria-label={words.score}>≣</button>
      <button type="button" id="settings" onClick={() => show("settings")} aria-label={words.settings}>⚙</button>
    </header>
  );
}
