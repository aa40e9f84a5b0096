// The grade of a decision as a sign and a word.

import type { Speech } from "../language/speech";
import { GRADES, type Grade } from "../match/grades";

/** Signs of the grades, which do not depend on their colours. */
const SIGNS: Readonly<Record<Grade, string>> = {
  best: "★",
  good: "✓",
  inaccuracy: "?!",
  mistake: "?",
  blunder: "??",
};

interface GradeMarkProps {
  grade: Grade;
  speech: Speech;
  /** Number of decisions with this grade, if the mark counts them. */
  count?: number;
}

export function GradeMark({ grade, speech, count }: GradeMarkProps) {
  return (
    <span class="grade">
      <i class={grade} aria-hidden="true">
        {SIGNS[grade]}
      </i>
      {speech.words.grades[grade]}
      {count !== undefined && `${speech.words.colon}${count}`}
    </span>
  );
}

/** The number of decisions of each grade that occurs; nothing without graded decisions. */
export function GradeCounts({ counts, speech }: { counts: Record<Grade, number>; speech: Speech }) {
  const found = GRADES.filter((grade) => counts[grade] > 0);
  if (found.length === 0) return null;
  return (
    <p class="grades">
      {found.map((grade) => (
        <GradeMark key={grade} grade={grade} speech={speech} count={counts[grade]} />
      ))}
    </p>
  );
}
