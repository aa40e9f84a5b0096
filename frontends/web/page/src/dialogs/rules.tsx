// The dialog of the rules, which needs no match.

import { useEffect, useState } from "preact/hooks";

import { Speech } from "../language/speech";
import type { Rules } from "../messages/messages";
import { askRules } from "../net/ask-rules";
import { PLAYABLE_RULES } from "../net/packed";
import { ruleSetName } from "../net/rulesets";
import { RulesText } from "../panels/rules-text";
import { Dialog } from "./dialog";
import { Select } from "./select";

interface RulesDialogProps {
  /** Rule set that is shown first. */
  first: string;
  /** Rules that are known already. */
  known: Rules | null;
  /** House rules of this page, as `packHouseRules` returns them. */
  house: string | undefined;
  speech: Speech;
  close(): void;
}

export function RulesDialog({ first, known, house, speech, close }: RulesDialogProps) {
  const { words, language, letters } = speech;
  const [name, setName] = useState(first);
  /** The answer about each rule set; `null` if the rules are nowhere to be had. */
  const [answers, setAnswers] = useState<Record<string, Rules | null>>(
    known ? { [known.rules]: known } : {},
  );
  useEffect(() => {
    if (answers[name]) return;
    return askRules(name, (answer) => setAnswers((before) => ({ ...before, [name]: answer })));
  }, [name]);
  const rules = answers[name];
  const sets = [...new Set([...PLAYABLE_RULES, first])];
  const names = Object.fromEntries(sets.map((set) => [set, ruleSetName(set)]));
  return (
    <Dialog title={words.rules} close={close} speech={speech}>
      {sets.length > 1 && (
        <label>
          <span class="hidden">{words.door.rules}</span>
          <Select value={name} names={names} pick={setName} />
        </label>
      )}
      {rules === undefined && <progress aria-label={words.rules} />}
      {rules === null && <p role="alert">{words.notNow}</p>}
      {rules && (
        <RulesText
          rules={rules}
          house={house}
          speech={new Speech(language, name, letters, rules.turn_up)}
          isAtTable={false}
        />
      )}
    </Dialog>
  );
}
