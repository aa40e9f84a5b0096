// A question to the person.

import type { Speech } from "../language/speech";
import { SuitedText } from "../table/suited-text";
import { Dialog } from "./dialog";

/** A question with the texts of both answers. */
export interface Question {
  text: string;
  yes: string;
  no: string;
  onYes(): void;
}

interface QuestionDialogProps {
  question: Question;
  speech: Speech;
  close(): void;
}

/** Asks a question. Closing the dialog answers no. */
export function QuestionDialog({ question, speech, close }: QuestionDialogProps) {
  const accept = () => {
    close();
    question.onYes();
  };
  return (
    <Dialog title={question.yes} close={close} speech={speech}>
      <p>
        <SuitedText text={question.text} />
      </p>
      <div class="row">
        <button type="button" class="large" id="yes" onClick={accept}>
          {question.yes}
        </button>
        <button type="button" class="large" id="no" onClick={close}>
          {question.no}
        </button>
      </div>
    </Dialog>
  );
}
