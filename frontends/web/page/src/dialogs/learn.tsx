// The dialog of the lessons.

import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { dueLesson } from "../match/guide";
import { LESSON_NAMES, type LessonName } from "../match/lessons";
import { saved } from "../match/storage";
import { Dialog } from "./dialog";

interface LearnDialogProps {
  speech: Speech;
  startLesson(name: LessonName): void;
  close(): void;
}

/** Lists the lessons. The first one that is not finished is marked as due. */
export function LearnDialog({ speech, startLesson, close }: LearnDialogProps) {
  const { door, learn } = speech.words;
  const finished = saved.finishedLessons();
  const due = dueLesson();
  return (
    <Dialog title={door.learn} close={close} speech={speech}>
      <p>{learn.intro}</p>
      <ol class="lessons">
        {LESSON_NAMES.map((name, i) => (
          <li key={name}>
            <button
              type="button"
              data-lesson={name}
              class={name === due ? "due" : ""}
              onClick={() => startLesson(name)}
            >
              <span>
                <small>{fill(learn.number, { n: i + 1, of: LESSON_NAMES.length })}</small>
                {learn.lessons[name].title}
              </span>
              {finished.includes(name) && <small>✓ {learn.done}</small>}
            </button>
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
