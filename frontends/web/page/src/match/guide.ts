// The coach of a lesson, which chooses the bubble, and the progress in the lessons.

import type { Table } from "../messages/messages";
import { type Bubble, bubblesOf, LESSON_NAMES, type LessonName } from "./lessons";
import { saved } from "./storage";

/** Coach of one lesson. A bubble is shown at one decision; if it asks for an action, at each. */
export class Guide {
  #bubbles: Bubble[];
  /** Number of actions before the decision at which each bubble was shown. */
  #shownAt = new Map<Bubble, number>();

  constructor(name: LessonName, rules: string) {
    this.#bubbles = bubblesOf(name, rules);
  }

  /** Returns the bubble for a table, `null` if the coach has nothing new to say. */
  bubble(table: Table): Bubble | null {
    const now = table.history.length;
    const isDue = (bubble: Bubble) =>
      bubble.wanted !== undefined || (this.#shownAt.get(bubble) ?? now) === now;
    const found = this.#bubbles.find((bubble) => isDue(bubble) && bubble.when(table)) ?? null;
    if (found) this.#shownAt.set(found, now);
    return found;
  }
}

/** Notes that a lesson was played to its end. */
export function finishLesson(name: LessonName) {
  const finished = saved.finishedLessons();
  if (!finished.includes(name)) saved.storeFinishedLessons([...finished, name]);
}

/** Returns the first lesson that was not played to its end, or else the first one. */
export function dueLesson(): LessonName {
  const finished = saved.finishedLessons();
  return LESSON_NAMES.find((name) => !finished.includes(name)) ?? LESSON_NAMES[0];
}
