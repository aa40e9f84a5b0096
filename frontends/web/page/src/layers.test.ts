import { expect, it } from "vitest";

/** Folders in dependency order: a file imports from its own folder and from those before it. */
const LAYERS = ["messages", "language", "net", "match", "table", "panels", "dialogs", "shell"];

const files = import.meta.glob<string>(["./*/*.{ts,tsx}", "!./testing/*", "!./**/*.test.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const folderOf = (file: string) => file.split("/")[1];

it("lists every folder", () => {
  expect(new Set(Object.keys(files).map(folderOf))).toEqual(new Set(LAYERS));
});

it("imports nothing from a later folder", () => {
  const wrong = Object.entries(files).flatMap(([file, text]) => {
    const layer = LAYERS.indexOf(folderOf(file));
    const imported = [...text.matchAll(/from "\.\.\/(\w+)\//g)].map(([, folder]) => folder);
    const later = imported.filter((folder) => LAYERS.indexOf(folder) > layer);
    return later.map((folder) => `${file} imports from ${folder}`);
  });
  expect(wrong).toEqual([]);
});
