// The header bar: title, rules, language, and the buttons that open dialogs.

import type { DialogName } from "../dialogs/dialog";
import { LanguageSelect, RulesSelect } from "../dialogs/select";
import type { Speech } from "../language/speech";
import type { MatchRequest } from "../match/match";

/** Drawing of two persons. */
const PeopleIcon = () => (
  <svg viewBox="0 0 24 16" width="24" height="16" fill="currentColor" aria-hidden="true">
    <circle cx="8" cy="4" r="3.5" />
    <path d="M1 16c0-5 3-7.5 7-7.5s7 2.5 7 7.5z" />
    <circle cx="17" cy="5" r="2.8" />
    <path d="M16.5 16c0-3-.7-5-1.8-6.3 4-1 7.3 1 7.3 6.3z" />
  </svg>
);

/** Drawing of a house. */
const HomeIcon = () => (
  <svg viewBox="0 0 18 16" width="18" height="16" fill="currentColor" aria-hidden="true">
    <path d="M9 0 0 8h2.5v8h5v-5h3v5h5V8H18z" />
  </svg>
);

interface BarProps {
  speech: Speech;
  /** Whether this window sits at a shared table. */
  isShared: boolean;
  /** Whether a side match is played, which keeps its rules. */
  isSide: boolean;
  chooseLanguage(language: string): void;
  openMatch(request: MatchRequest): void;
  newMatch(): void;
  openDialog(name: DialogName): void;
  /** Opens the start screen. */
  goHome(): void;
}

export function Bar(props: BarProps) {
  const { speech, isShared, isSide, chooseLanguage, openMatch, newMatch, openDialog, goHome } =
    props;
  const { words } = speech;
  return (
    <header class="bar">
      <h1>
        <button type="button" id="door" onClick={goHome}>
          <HomeIcon /> Troel<span class="hidden">{`, ${words.door.home}`}</span>
        </button>
      </h1>
      {!isSide && !isShared && (
        <label class="rules">
          <span class="hidden">{words.rules}</span>
          <RulesSelect id="rules" speech={speech} openMatch={openMatch} />
        </label>
      )}
      <label class="language">
        <span class="hidden">{words.language}</span>
        <LanguageSelect id="language" speech={speech} choose={chooseLanguage} />
      </label>
      {isShared && (
        <button
          type="button"
          id="people"
          onClick={() => openDialog("together")}
          aria-label={words.together}
        >
          <PeopleIcon />
        </button>
      )}
      {!isSide && !isShared && (
        <button type="button" id="new" onClick={newMatch}>
          {words.newMatch}
        </button>
      )}
      <button
        type="button"
        id="panel"
        class="narrow"
        onClick={() => openDialog("panel")}
        aria-label={words.score}
      >
        ≣
      </button>
      <button
        type="button"
        id="settings"
        onClick={() => openDialog("settings")}
        aria-label={words.settings}
      >
        ⚙
      </button>
    </header>
  );
}
