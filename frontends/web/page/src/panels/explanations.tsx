// Calls and contracts with the sentences that explain them.

import type { Explanation } from "../language/rules-prose";
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
