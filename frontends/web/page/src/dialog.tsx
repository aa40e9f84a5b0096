// Dialogs over the table.

import { useEffect, useRef } from "preact/hooks";

import { Suited } from "./card";
import type { Speech } from "./words";

/** The open dialog, "" for none. A question is not one of them, because it may open over one. */
export type DialogName = "" | "settings" | "panel" | "statistics" | "together" | "join";

interface DialogProps { title: string; close(): void; children: unknown; speech: Speech }

/** A dialog with a title and a button that closes it. A click beside the dialog closes it, too. */
export function Dialog({ title, close, children, speech }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current?.showModal(); }, []);
  const clicked = (event: MouseEvent) => { if (event.target === box.current) close(); };
  return (
    <dialog ref={box} onClose={close} aria-label={title} onClick={clicked}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={close} aria-label={speech.words.close}>✕</button>
      </header>
      <div class="body">{children as never}</div>
    </dialog>
  );
}

/** A question to the person, with the texts of both answers. `then` follows `yes`. */
export interface Question { text: string; yes: string; no: string; then(): void }

interface QuestionProps { question: Question; close(): void; speech: Speech }

/** Asks a question. Closing the dialog answers no. */
export function QuestionDialog({ question, close, speech }: QuestionProps) {
  return (
    <Dialog title={question.yes} close={close} speech={speech}>
      <p><Suited text={question.text} /></p>
      <div class="row">
        <button type="button" class="large" id="yes" onClick={() => { close(); question.then(); }}>
          {question.yes}
        </button>
        <button type="button" class="large" id="no" onClick={() => close()}>{question.no}</button>
      </div>
    </Dialog>
  );
}
