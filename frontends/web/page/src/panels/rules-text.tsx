// The rules in words, and their contract table.

import { ruleSections, signs } from "../language/rules-prose";
import type { Speech } from "../language/speech";
import type { Rules } from "../messages/messages";
import { SuitedText } from "../table/suited-text";
import { Explanations } from "./explanations";
import { RulesTable } from "./rules-table";

export function RulesText({ rules, speech }: { rules: Rules; speech: Speech }) {
  const { heads } = speech.words.guide;
  return (
    <div class="prose">
      {ruleSections(speech, rules).map(({ title, text, calls }) => (
        <section key={title}>
          <h3>{title}</h3>
          <p>
            <SuitedText text={text} />
          </p>
          {calls && <Explanations list={calls} />}
        </section>
      ))}
      <RulesTable rules={rules} speech={speech} />
      <h3>{heads.marks}</h3>
      <ul>
        {signs(speech).map(([sign, meaning]) => (
          <li key={meaning}>
            {sign && <b>{sign}</b>} {meaning}
          </li>
        ))}
      </ul>
    </div>
  );
}
