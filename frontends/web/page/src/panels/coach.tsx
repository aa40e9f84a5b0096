// The coach of a lesson: the bubble above the felt, and the way on at the end of the lesson.

import { useEffect } from "preact/hooks";

import { seatName } from "../language/sayings";
import type { Speech } from "../language/speech";
import { fill } from "../language/words";
import { finishLesson } from "../match/guide";
import { partnerOf } from "../match/lesson-spots";
import {
  type Bubble,
  LESSON_NAMES,
  type LessonName,
  lessonAfter,
  sensibleTricks,
} from "../match/lessons";
import { certainContract, exactTricks } from "../messages/contracts";
import type { Seat, Table } from "../messages/messages";
import { ResultLines } from "../table/result";
import { isResultShown, type Scene } from "../table/scene";
import { SuitedText } from "../table/suited-text";

/** Returns a text of a lesson, or else the text of all lessons with this key. */
function lessonText({ words }: Speech, name: LessonName, key: string): string {
  const texts: Record<string, string> = words.learn.lessons[name];
  return texts[key] ?? (words.learn as unknown as Record<string, string>)[key];
}

/** Returns the tricks that the declarers need: two numbers while a troel may need either. */
function neededTricks(table: Table): number | string {
  const { level } = certainContract(table) ?? {};
  return level ?? (table.contract?.kind === "troel" ? "8–9" : "");
}

/** Returns the text of a bubble, with names and suits of the table. */
function bubbleText({ table, speech }: Scene, name: LessonName, { text }: Bubble): string {
  const { contract, trick } = table;
  const partner = partnerOf(table);
  const led = trick[0];
  const asked = table.history.find(({ action }) => action !== "pass");
  return fill(lessonText(speech, name, text), {
    asker: asked ? seatName(table, asked.seat, speech) : "",
    partner: partner ? seatName(table, partner, speech) : "",
    trump: contract?.trump ? speech.strain(contract.trump) : "",
    leader: led ? seatName(table, led.seat, speech) : "",
    suit: led ? speech.cardSign(led.card).slice(-1) : "",
    of: neededTricks(table),
  });
}

/** Returns the tricks of the declarers. */
function declarersTricks({ contract, tricks }: Table): number {
  const declarers = [...(contract?.declarers ?? "")] as Seat[];
  return declarers.reduce((sum, seat) => sum + tricks[seat], 0);
}

/** Returns the tricks that the person needs and has; "" unless the person is a declarer. */
function goalText({ table, speech }: Scene): string {
  const { learn } = speech.words;
  const { contract, you } = table;
  if (!contract?.declarers.includes(you)) return "";
  if (exactTricks(contract.kind) === 0) return learn.goalNone;
  const partner = partnerOf(table);
  const n = declarersTricks(table);
  if (n >= (contract.level ?? 0)) return learn.reached;
  const gaps = { of: neededTricks(table), n };
  if (!partner) return fill(learn.goalAlone, gaps);
  return fill(learn.goalPair, { ...gaps, partner: seatName(table, partner, speech) });
}

/** Returns the last words of a lesson. */
function endText({ table, speech }: Scene, name: LessonName): string {
  const { praise, enough, comfort } = speech.words.learn;
  const possible = sensibleTricks(name);
  const isMade = table.scores![table.you] > 0;
  const isPoor = isMade && declarersTricks(table) < possible;
  const verdict = isPoor ? fill(enough, { n: possible }) : praise;
  return `${isMade ? verdict : comfort} ${lessonText(speech, name, "end")}`;
}

interface CoachProps {
  scene: Scene;
  name: LessonName;
  /** `null` if the coach has nothing new to say. */
  bubble: Bubble | null;
}

export function Coach({ scene, name, bubble }: CoachProps) {
  const { table, speech } = scene;
  const { learn } = speech.words;
  const isOver = isResultShown(scene);
  useEffect(() => {
    if (table.scores) finishLesson(name);
  }, [table.scores !== null]);
  let text = bubble ? bubbleText(scene, name, bubble) : goalText(scene);
  if (isOver) text = endText(scene, name);
  const number = { n: LESSON_NAMES.indexOf(name) + 1, of: LESSON_NAMES.length };
  return (
    <section class="coach" aria-label={learn.lessons[name].title}>
      <b>
        {fill(learn.number, number)} · {learn.lessons[name].title}
      </b>
      <p role="status" data-bubble={bubble?.text ?? ""}>
        <SuitedText text={text} />
      </p>
    </section>
  );
}

interface LessonEndProps {
  scene: Scene;
  name: LessonName;
  startLesson(name: LessonName): void;
  /** Opens the start screen. */
  goHome(): void;
}

/** The result of a lesson, with the next lesson, the same one again, and the start screen. */
export function LessonEnd({ scene, name, startLesson, goHome }: LessonEndProps) {
  const { words } = scene.speech;
  const next = lessonAfter(name);
  const home = words.door.home;
  return (
    <>
      <ResultLines scene={scene} />
      <div class="row">
        <button
          type="button"
          id="next"
          class="large"
          onClick={() => (next ? startLesson(next) : goHome())}
        >
          {next ? words.learn.next : home}
        </button>
        <button type="button" id="again" class="large" onClick={() => startLesson(name)}>
          {words.learn.again}
        </button>
        {next && (
          <button type="button" id="home" class="large" onClick={goHome}>
            {home}
          </button>
        )}
      </div>
    </>
  );
}
