import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Languages that the page loads when it needs them. English is part of the script. */
const LOADED_LANGUAGES = ["lb", "nl", "de", "fr"];

/** Texts of the terminal that the page has as well; it has none of the others. */
const SHARED_TERMINAL_TEXTS = ["trickTo", "trickToYou"];
/** Other texts that only programs without the page use. */
const PROGRAM_TEXTS = ["notStarted", "noMistakes", "costNothing", "lostTricks"];

/** Returns the texts of a language that the page uses. `Words` hides the others from its sources. */
function pageTexts(json: string): string {
  const isUsed = ([key]: [string, unknown]) => !PROGRAM_TEXTS.includes(key);
  const words = Object.fromEntries(Object.entries<unknown>(JSON.parse(json)).filter(isUsed));
  const shared = Object.entries(words.terminal as object).filter(([key]) =>
    SHARED_TERMINAL_TEXTS.includes(key),
  );
  return JSON.stringify({ ...words, terminal: Object.fromEntries(shared) });
}

/** Leaves out texts that the page does not use, and writes a file for each loaded language. */
const pageWords: Plugin = {
  name: "page-words",
  enforce: "pre",
  transform: (source, file) => (/[\\/]words[\\/]\w+\.json$/.test(file) ? pageTexts(source) : null),
  generateBundle() {
    for (const language of LOADED_LANGUAGES) {
      const file = fileURLToPath(new URL(`../words/${language}.json`, import.meta.url));
      this.addWatchFile(file);
      const source = pageTexts(readFileSync(file, "utf8"));
      this.emitFile({ type: "asset", fileName: `words/${language}.json`, source });
    }
  },
};

// One script, one style sheet and the texts, with fixed names. The program embeds them, and
// `troel page` puts them into one file.
export default defineConfig({
  plugins: [pageWords],
  build: {
    outDir: "../assets",
    emptyOutDir: false,
    target: "es2022",
    lib: {
      entry: "src/main.tsx",
      formats: ["iife"],
      name: "troel",
      fileName: () => "app.js",
      cssFileName: "style",
    },
  },
  // The program embeds the files in `static` as they are.
  publicDir: false,
  test: { setupFiles: "src/testing/browser.ts", restoreMocks: true, unstubGlobals: true },
});
