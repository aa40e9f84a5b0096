// A minimal browser for unit tests, which run without a document.

import { beforeEach, vi } from "vitest";

import de from "../../../words/de.json";
import fr from "../../../words/fr.json";
import lb from "../../../words/lb.json";
import nl from "../../../words/nl.json";
import { addWords } from "../language/words";

/** Storage in memory. */
class MemoryStorage {
  #values = new Map<string, string>();

  getItem = (key: string): string | null => this.#values.get(key) ?? null;
  setItem = (key: string, value: string) => void this.#values.set(key, value);
}

function stubBrowser() {
  vi.stubGlobal("document", { getElementById: () => null });
  vi.stubGlobal("location", new URL("http://localhost/?lang=en"));
  vi.stubGlobal("navigator", { language: "en-GB", languages: ["en-GB"] });
  vi.stubGlobal("localStorage", new MemoryStorage());
  vi.stubGlobal("sessionStorage", new MemoryStorage());
}

// Modules read the document when they are imported, before the first test.
stubBrowser();
for (const [language, words] of Object.entries({ lb, nl, de, fr })) addWords(language, words);
beforeEach(stubBrowser);
