import { describe, expect, it, vi } from "vitest";

import { ENGLISH, fill, LANGUAGE_NAMES, pageLanguage, type Words, wordsOf } from "./words";

/** Returns the paths of all texts, such as "calls.pass". */
const paths = (value: unknown, path = ""): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => paths(inner, `${path}.${key}`))
    : [path];

describe("fill", () => {
  it("fills gaps with and without a name", () => {
    expect(fill("{name} asks {}", { name: "North", "": "8 ♠" })).toBe("North asks 8 ♠");
    expect(fill("ask {}", "8 ♠")).toBe("ask 8 ♠");
  });

  it("keeps the final n of Luxembourgish only where it is spoken", () => {
    expect(fill("vu(n) {}", "Anna")).toBe("vun Anna");
    expect(fill("vu(n) {}", "Marc")).toBe("vu Marc");
    expect(fill("vu(n) {}", "4")).toBe("vu 4");
  });
});

describe("pageLanguage", () => {
  it("prefers the chosen language, then the browser, then English", () => {
    vi.stubGlobal("navigator", { languages: ["ja-JP", "fr-BE", "de"] });
    expect(pageLanguage("lb")).toBe("lb");
    expect(pageLanguage("")).toBe("fr");
    vi.stubGlobal("navigator", { languages: ["ja-JP"] });
    expect(pageLanguage("toString")).toBe("en");
  });
});

describe("loadWords", () => {
  const dutch = wordsOf("nl");
  const answer = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status });

  /** Returns the module as it is before it has loaded anything, and a network with one answer each. */
  async function freshModule(...answers: Response[]) {
    vi.resetModules();
    const network = vi.fn<typeof fetch>();
    for (const one of answers) network.mockResolvedValueOnce(one);
    vi.stubGlobal("fetch", network);
    return { network, words: await import("./words") };
  }

  it("fetches the texts of a language once", async () => {
    const { network, words } = await freshModule(answer(dutch));
    expect(words.wordsOf("nl")).toBe(words.ENGLISH);
    await words.loadWords("nl");
    await words.loadWords("nl");
    expect(words.wordsOf("nl")).toEqual(dutch);
    expect(network.mock.calls.map(([address]) => address)).toEqual(["words/nl.json"]);
  });

  it("needs no network for English, nor in a page with the texts inside", async () => {
    const textContent = JSON.stringify(dutch);
    const getElementById = (id: string) => (id === "words-nl" ? { textContent } : null);
    vi.stubGlobal("document", { getElementById });
    const { network, words } = await freshModule();
    await Promise.all([words.loadWords("en"), words.loadWords("nl")]);
    expect(words.wordsOf("nl")).toEqual(dutch);
    expect(network).not.toHaveBeenCalled();
  });

  it("stays English after a failure, and tries again", async () => {
    const { words } = await freshModule(answer(dutch, 503), answer(dutch));
    await expect(words.loadWords("nl")).rejects.toThrow("503");
    expect(words.isLoaded("nl")).toBe(false);
    await words.loadWords("nl");
    expect(words.isLoaded("nl")).toBe(true);
  });

  it.each([
    ["without a text", { ...dutch, cancel: undefined }],
    ["without a text in a group", { ...dutch, door: { ...dutch.door, play: undefined } }],
    ["with another kind of text", { ...dutch, door: "" }],
  ])("refuses texts of another version: %s", async (_, texts) => {
    const { words } = await freshModule(answer(texts));
    await expect(words.loadWords("nl")).rejects.toThrow("another version");
    expect(words.wordsOf("nl")).toBe(words.ENGLISH);
  });
});

describe("texts", () => {
  const optional = /^\.calls(Flanders|Iwwa)\./;
  const english = paths(ENGLISH).filter((path) => !optional.test(path));

  it.each(Object.keys(LANGUAGE_NAMES))("%s has every text", (language) => {
    const found = paths(wordsOf(language)).filter((path) => !optional.test(path));
    expect(found.sort()).toEqual(english.sort());
  });

  it("keeps French punctuation on the line of its word", () => {
    const texts = JSON.stringify(wordsOf("fr")).split(/(?<!\\)"/);
    const isWrong = (text: string) => /\w[;?!]| [:;?!]|\w: |\w'\w/.test(text);
    expect(texts.filter(isWrong)).toEqual([]);
  });

  it.each(Object.keys(LANGUAGE_NAMES))("%s names the same cards in each reason", (language) => {
    const gaps = (text: string) => text.match(/\{\w*\}/g)!.toSorted();
    const gapsOf = ({ reasons }: Words) => Object.values(reasons).map(gaps);
    expect(gapsOf(wordsOf(language))).toEqual(gapsOf(ENGLISH));
  });
});
