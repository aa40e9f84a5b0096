// The page in a frame of another page: the table without the bar and the start screen.

import type { Speech } from "../language/speech";

/** Whether the address asks for the table alone: it has `?embed`. */
export const isEmbedded = (): boolean => new URLSearchParams(location.search).has("embed");

/** Returns an address without `?embed`. */
export function fullPageUrl(address: string): string {
  const url = new URL(address);
  url.searchParams.delete("embed");
  return url.href;
}

/** The head of an embedded table, with a link to the whole page. */
export function EmbeddedHead({ speech }: { speech: Speech }) {
  return (
    <header class="embedded">
      <h1>Troel</h1>
      <a href={fullPageUrl(location.href)} target="_blank" rel="noopener">
        {speech.words.seen.full} ↗
      </a>
    </header>
  );
}
