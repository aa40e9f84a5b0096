// Actions on the kept deals: save them to a file, load them from one, delete them.

import { useState } from "preact/hooks";

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { deleteDeals, exportLines, importLines, type KeptDeal } from "../match/kept-deals";
import { saved } from "../match/storage";
import type { Question } from "./question";

const FILE_NAME = "troel-deals.jsonl";
/** Time after which a saved text is forgotten. */
const SAVING_MS = 60_000;

/** Lets the browser save a text as a file. */
function saveFile(text: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  link.download = FILE_NAME;
  link.click();
  // Some browsers read the address after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), SAVING_MS);
}

interface KeptDealActionsProps {
  deals: KeptDeal[];
  /** Whether there is nothing to delete. */
  isEmpty: boolean;
  speech: Speech;
  ask(question: Question): void;
  /** Notes that deals were added or deleted. */
  changed(): void;
}

export function KeptDealActions(props: KeptDealActionsProps) {
  const { deals, isEmpty, speech, ask, changed } = props;
  const { cancel, history } = speech.words;
  const [status, setStatus] = useState("");
  const load = async (box: HTMLInputElement) => {
    const file = box.files?.[0];
    if (!file) return;
    setStatus(fill(history.loaded, { ...(await importLines(await file.text())) }));
    // The same file can be chosen again.
    box.value = "";
    changed();
  };
  const deleteAll = async () => {
    saved.storeTallies({});
    saved.storeCountedDeals([]);
    await deleteDeals();
    setStatus("");
    changed();
  };
  const askAndDelete = () =>
    ask({ text: history.sureDelete, yes: history.delete, no: cancel, onYes: deleteAll });
  return (
    <div class="after">
      <button
        type="button"
        id="save-deals"
        disabled={deals.length === 0}
        onClick={() => saveFile(exportLines(deals))}
      >
        {history.save}
      </button>
      <label class="button file">
        {history.load}
        <input
          type="file"
          id="load-deals"
          class="hidden"
          accept=".jsonl"
          onChange={(event) => load(event.currentTarget)}
        />
      </label>
      <button type="button" id="delete-deals" disabled={isEmpty} onClick={askAndDelete}>
        {history.delete}
      </button>
      <p role="status" class="note told">
        {status}
      </p>
    </div>
  );
}
