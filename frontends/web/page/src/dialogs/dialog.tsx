// Dialogs over the table.

import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Speech } from "../language/speech";

/** The open dialog, "" for none. A question is not one of them, because it may open over one. */
export type DialogName =
  | ""
  | "settings"
  | "panel"
  | "statistics"
  | "house"
  | "learn"
  | "together"
  | "join"
  | "rules"
  | "explain";

interface DialogProps {
  title: string;
  speech: Speech;
  close(): void;
  children: ComponentChildren;
}

/** A dialog with a title and a button that closes it. A click beside the dialog closes it, too. */
export function Dialog({ title, speech, close, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  const clicked = (event: MouseEvent) => {
    if (event.target === box.current) close();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog on Escape.
    <dialog ref={box} onClose={close} aria-label={title} onClick={clicked}>
      <header>
        <h2>{title}</h2>
        <button type="button" onClick={close} aria-label={speech.words.close}>
          ✕
        </button>
      </header>
      <div class="body">{children}</div>
    </dialog>
  );
}
