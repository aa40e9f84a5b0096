// The rules in words, and their contract table.

import { ruleSections } from "../language/rules-prose";
import type { Speech } from "../language/speech";
import { factsOf } from "../match/house-rules";
import type { Rules } from "../messages/messages";
import { SuitedText } from "../table/suited-text";
import { Explanations, Signs } from "./explanations";
import { RulesTable } from "./rules-table";

interface RulesTextProps {
  rules: Rules;
  /** House rules of this page as `packHouseRules` returns them. They may be other ones. */
  house: string | undefined;
  speech: Speech;
  /** Whether the person plays, and looks for points more often than for the rest. */
  isAtTable: boolean;
}

export function RulesText({ rules, house, speech, isAtTable }: RulesTextProps) {
  const table = <RulesTable rules={rules} speech={speech} />;
  const facts = factsOf(speech, rules.rules, house);
  return (
    <div class="prose">
      {isAtTable && <h2 class="hidden">{speech.words.rules}</h2>}
      {isAtTable && table}
      {ruleSections(speech, rules, facts).map(({ title, text, calls }) => (
        <section key={title}>
          <h3>{title}</h3>
          <p>
            <SuitedText text={text} />
          </p>
          {calls && <Explanations list={calls} />}
        </section>
      ))}
      {!isAtTable && table}
      <Signs speech={speech} />
    </div>
  );
}
