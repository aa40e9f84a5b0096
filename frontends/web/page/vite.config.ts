import { defineConfig } from "vite";

// One script and one style sheet with fixed names: the program embeds them, and `troel page` puts them into one file.
export default defineConfig({
  build: {
    outDir: "../assets",
    emptyOutDir: false,
    target: "es2022",
    lib: { entry: "src/main.tsx", formats: ["iife"], name: "troel", fileName: () => "app.js", cssFileName: "style" },
  },
  // What stands in `static` is embedded as it is.
  publicDir: false,
});
