// Choices among named values, and the two that the page offers in the header and in the settings.

import { SETS } from "./link";
import type { Opened } from "./match";
import { nameOfRules } from "./rulesets";
import type { Settings } from "./saved";
import { LANGUAGES, type Speech } from "./words";

interface SelectProps {
  id?: string;
  value: string;
  /** Names on the screen by value. */
  names: Record<string, string>;
  pick(value: string, box: HTMLSelectElement): void;
}

/** A choice among named values. */
export function Select({ id, value, names, pick }: SelectProps) {
  return (
    <select id={id} value={value} onChange={(event) => pick(event.currentTarget.value, event.currentTarget)}>
      {Object.entries(names).map(([key, name]) => (
        <option key={key} value={key} selected={key === value}>{name}</option>
      ))}
    </select>
  );
}

interface RulesProps { id?: string; speech: Speech; open(opened: Opened): void }

/** The choice of the rules. Another choice opens a new match. */
export function RulesSelect({ id, speech: { rules }, open }: RulesProps) {
  // The list names the rules of the current match even if they cannot be played here.
  const names = Object.fromEntries([...new Set([...SETS, rules])].map((name) => [name, nameOfRules(name)]));
  const pick = (to: string, box: HTMLSelectElement) => {
    // The box shows the rules of the match, which the person may still decide to keep.
    box.value = rules;
    open({ rules: to });
  };
  return <Select id={id} value={rules} names={names} pick={pick} />;
}

interface LanguageProps { id?: string; speech: Speech; change(some: Partial<Settings>): void }

/** The choice of the language. */
export function LanguageSelect({ id, speech, change }: LanguageProps) {
  const names = Object.fromEntries(Object.entries(LANGUAGES).map(([code, { name }]) => [code, name]));
  return <Select id={id} value={speech.language} names={names} pick={(language) => change({ language })} />;
}
