// Parts of a page in one file. They arrive in chunks while the browser reads the file.

/** A part that is complete or still arrives. */
class Part {
  readonly chunks: string[] = [];
  /** Number of characters that have arrived. */
  received = 0;
  /** The whole text. It never comes if the file is cut off. */
  readonly text: Promise<string>;
  #resolve!: (text: string) => void;

  constructor(
    /** Number of characters of the whole part. */
    readonly length: number,
  ) {
    this.text = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isComplete(): boolean {
    return this.received === this.length;
  }

  add(chunk: string) {
    this.chunks.push(chunk);
    this.received += chunk.length;
    if (this.isComplete) this.#resolve(this.chunks.splice(0).join(""));
  }
}

/** Parts of the page, in the order in which they arrive. */
export class Parts {
  #parts: readonly Part[];
  #hasEnded = false;
  #listeners = new Set<() => void>();

  constructor(lengths: readonly number[]) {
    this.#parts = lengths.map((length) => new Part(length));
  }

  /** Whether the file has ended before its last part was complete. */
  get isCutOff(): boolean {
    return this.#hasEnded && this.#parts.some((part) => !part.isComplete);
  }

  /** Returns the text of a part when it is complete. */
  text(index: number): Promise<string> {
    return this.#parts[index].text;
  }

  /** Returns the share that has arrived, from 0 to 1, of the parts up to and including this one. */
  progress(last: number): number {
    const awaited = this.#parts.slice(0, last + 1);
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);
    return sum(awaited.map((part) => part.received)) / sum(awaited.map((part) => part.length));
  }

  /** Adds the next chunk of a part. */
  add(index: number, chunk: string) {
    this.#parts[index]?.add(chunk);
    this.#notify();
  }

  /** Notes that no chunk will follow. */
  end() {
    this.#hasEnded = true;
    this.#notify();
  }

  /** Calls `listener` after each change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #notify() {
    for (const listener of this.#listeners) listener();
  }
}

/** Takes the chunks out of the document as they arrive. */
export function collectParts(parts: Parts) {
  const take = (hasEnded: boolean) => {
    for (const element of document.querySelectorAll<HTMLElement>("script[data-part]")) {
      // The last element may not be complete before something follows it.
      if (!hasEnded && !element.nextSibling) break;
      parts.add(Number(element.dataset.part), element.textContent!);
      element.remove();
    }
  };
  const observer = new MutationObserver(() => take(false));
  observer.observe(document.body, { childList: true });
  const end = () => {
    observer.disconnect();
    take(true);
    parts.end();
  };
  document.addEventListener("DOMContentLoaded", end);
}
