// Selection lists: the general one, and those of the rules and of the language.

import type { Speech } from "../language/speech";
import { LANGUAGE_NAMES } from "../language/words";
import type { MatchRequest } from "../match/match";
import { PLAYABLE_RULES } from "../net/packed";
import { ruleSetName } from "../net/rulesets";

interface SelectProps {
  id?: string;
  value: string;
  /** Names on the screen by value. */
  names: Readonly<Record<string, string>>;
  pick(value: string, box: HTMLSelectElement): void;
}

/** A selection among named values. */
export function Select({ id, value, names, pick }: SelectProps) {
  return (
    <select
      id={id}
      value={value}
      onChange={({ currentTarget }) => pick(currentTarget.value, currentTarget)}
    >
      {Object.entries(names).map(([key, name]) => (
        <option key={key} value={key} selected={key === value}>
          {name}
        </option>
      ))}
    </select>
  );
}

interface RulesSelectProps {
  id?: string;
  speech: Speech;
  openMatch(request: MatchRequest): void;
}

/** The selection of the rules. Other rules open a new match. */
export function RulesSelect({ id, speech: { rules }, openMatch }: RulesSelectProps) {
  // The list has the rules of the current match even if they cannot be played here.
  const sets = [...new Set([...PLAYABLE_RULES, rules])];
  const names = Object.fromEntries(sets.map((set) => [set, ruleSetName(set)]));
  const pick = (chosen: string, box: HTMLSelectElement) => {
    // The box shows the rules of the match, which the person may still decide to keep.
    box.value = rules;
    openMatch({ rules: chosen });
  };
  return <Select id={id} value={rules} names={names} pick={pick} />;
}

interface LanguageSelectProps {
  id?: string;
  speech: Speech;
  choose(language: string): void;
}

/** The selection of the language. */
export function LanguageSelect({ id, speech, choose }: LanguageSelectProps) {
  return <Select id={id} value={speech.language} names={LANGUAGE_NAMES} pick={choose} />;
}
