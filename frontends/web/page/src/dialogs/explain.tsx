// The dialog that explains the calls on offer, the contract, and the calls that were made.

import { type Explanation, explain, explanation } from "../language/rules-prose";
import { certainContract } from "../messages/contracts";
import { calledKinds, offeredKinds } from "../messages/kinds";
import { Explanations, Signs } from "../panels/explanations";
import type { Scene } from "../table/scene";
import { Dialog } from "./dialog";

/** Returns the explanation of the contract, under its full name. */
function explainContract({ table, speech }: Scene): Explanation[] {
  const contract = certainContract(table);
  if (!contract) return [];
  const { kind } = contract;
  return [{ kind, name: speech.contract(contract), text: explanation(speech, kind) }];
}

/** Returns what there is to explain at a table, the calls on offer first. */
function explainTable(scene: Scene): Explanation[] {
  const { game, table, speech } = scene;
  const contract = explainContract(scene);
  const offered = game.isPersonsTurn ? offeredKinds(table) : [];
  const isNew = (kind: string) => contract.every((known) => known.kind !== kind);
  const kinds = [...new Set([...offered, ...calledKinds(table)])].filter(isNew);
  return [...contract, ...explain(speech, kinds)];
}

interface ExplainDialogProps {
  scene: Scene;
  /** The call to explain; `null` for all that there is to explain. */
  call: Explanation | null;
  /** Opens the rules. */
  openRules(): void;
  close(): void;
}

export function ExplainDialog({ scene, call, openRules, close }: ExplainDialogProps) {
  const { speech } = scene;
  const { words } = speech;
  return (
    <Dialog title={words.guide.explain} close={close} speech={speech}>
      <div class="prose">
        <Explanations list={call ? [call] : explainTable(scene)} />
        {!call && <Signs speech={speech} />}
        <button type="button" id="all-rules" onClick={openRules}>
          {words.rules}
        </button>
      </div>
    </Dialog>
  );
}
