// The felt before the first table has arrived.

import type { Words } from "../language/words";
import { packed } from "../net/packed";
import { useArrival } from "./arrival";

interface LoadingProps {
  words: Words;
  /** Rule set of the match, whose bot is awaited. */
  rules: string;
}

export function Loading({ words, rules }: LoadingProps) {
  const { lackingFeature, isCutOff } = useArrival();
  const isHopeless = lackingFeature !== undefined || isCutOff;
  return (
    <div class="loading">
      {!isHopeless && <progress aria-label={words.loading} value={packed?.progress(rules)} />}
      {!isHopeless && packed && <p role="status">{words.loading}</p>}
    </div>
  );
}
