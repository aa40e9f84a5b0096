// Calls, contracts and signs with the sentences that explain them.

import { type Explanation, signs } from "../language/rules-prose";
import type { Speech } from "../language/speech";
import { SuitedText } from "../table/suited-text";

export function Explanations({ list }: { list: readonly Explanation[] }) {
  return (
    <dl class="explained">
      {list.map(({ kind, name, text }) => (
        <div key={kind}>
          <dt>
            <SuitedText text={name} />
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The signs on the table. */
export function Signs({ speech }: { speech: Speech }) {
  return (
    <section>
      <h3>{speech.words.guide.heads.marks}</h3>
      <ul>
        {signs(speech).map(([sign, meaning]) => (
          <li key={meaning}>
            {sign && <b>{sign}</b>} {meaning}
          </li>
        ))}
      </ul>
    </section>
  );
}
