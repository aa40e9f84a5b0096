// The contract table of the rules.

import { type Speech, suitContract } from "../language/speech";
import { fill } from "../language/words";
import { exactTricks } from "../messages/contracts";
import type { ContractRow, Rules } from "../messages/messages";

/** A contract with the points for making it, for failing it, and of the others if it fails. */
function ContractTableRow({ row, speech }: { row: ContractRow; speech: Speech }) {
  const { kind, level, points } = row;
  const exact = exactTricks(kind);
  const [madeTricks, failedTricks] = exact === null ? [level, level - 1] : [exact, 1 - exact];
  const made = points.find(([taken]) => taken === madeTricks);
  const failed = points.find(([taken]) => taken === failedTricks);
  const name = fill(speech.kind(kind), level ? String(level) : "").trim();
  return (
    <tr>
      <th scope="row">{kind === "suit" ? suitContract(level) : name}</th>
      <td>{made && speech.signed(made[1])}</td>
      <td>{failed && speech.signed(failed[1])}</td>
      <td>{failed && speech.signed(failed[2])}</td>
    </tr>
  );
}

export function RulesTable({ rules, speech }: { rules: Rules; speech: Speech }) {
  const { words } = speech;
  return (
    <table class="numbers">
      <thead>
        <tr>
          <th scope="col">{words.contract}</th>
          <th scope="col">{words.ifMade}</th>
          <th scope="col">{words.ifFailed}</th>
          <th scope="col">{words.others}</th>
        </tr>
      </thead>
      <tbody>
        {rules.contracts.map((row, i) => (
          <ContractTableRow key={i} row={row} speech={speech} />
        ))}
      </tbody>
    </table>
  );
}
