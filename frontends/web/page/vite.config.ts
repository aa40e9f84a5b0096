import { defineConfig } from "vitest/config";

// One script and one style sheet with fixed names. The program embeds them, and `troel page` puts
// them into one file.
export default defineConfig({
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
