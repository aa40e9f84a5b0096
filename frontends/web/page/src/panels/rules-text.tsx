// The rules in words, and their contract table.

import { ruleSections } from "../language/rules-prose";
import type { Speech } from "../language/speech";
import type { Rules } from "../messages/messages";
import { SuitedText } from "../table/suited-text";
import { Explanations, Signs } from "./explanations";
import { RulesTable } from "./rules-table";

interface RulesTextProps {
  rules: Rules;
  speech: Speech;
  /** Whether the person plays, and looks for points more often than for the rest. */
  isAtTable: boolean;
}

export function RulesText({ rules, speech, isAtTable }: RulesTextProps) {
  const table = <RulesTable rules={rules} speech={speech} />;
  return (
    <div class="prose">
      {isAtTable && table}
      {ruleSections(speech, rules).map(({ title, text, calls }) => (
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
