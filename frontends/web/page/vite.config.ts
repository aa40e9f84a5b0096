import { defineConfig } from "vitest/config";

/** Texts of the terminal that the page has as well; it has none of the others. */
const SHARED_TERMINAL_TEXTS = ["trickTo", "trickToYou"];
/** Other texts that only programs without the page use. */
const PROGRAM_TEXTS = ["notStarted", "noMistakes", "costNothing", "lostTricks"];

/** Leaves out of the page the texts that it does not use. `Words` hides them from its sources. */
const pageTexts = {
  name: "page-texts",
  enforce: "pre" as const,
  transform(json: string, file: string) {
    if (!/[\\/]words[\\/]\w+\.json$/.test(file)) return null;
    const isUsed = ([key]: [string, unknown]) => !PROGRAM_TEXTS.includes(key);
    const words = Object.fromEntries(Object.entries<unknown>(JSON.parse(json)).filter(isUsed));
    const shared = Object.entries(words.terminal as object).filter(([key]) =>
      SHARED_TERMINAL_TEXTS.includes(key),
    );
    return JSON.stringify({ ...words, terminal: Object.fromEntries(shared) });
  },
};

// One script and one style sheet with fixed names. The program embeds them, and `troel page` puts
// them into one file.
export default defineConfig({
  plugins: [pageTexts],
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
