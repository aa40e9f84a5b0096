import { describe, expect, it, vi } from "vitest";

import { fill, LANGUAGES, pageLanguage, type Words } from "./words";

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

describe("LANGUAGES", () => {
  const optional = /^\.calls(Flanders|Iwwa)\./;
  const english = paths(LANGUAGES.en).filter((path) => !optional.test(path));

  it.each(Object.keys(LANGUAGES))("%s has every text", (language) => {
    const found = paths(LANGUAGES[language]).filter((path) => !optional.test(path));
    expect(found.sort()).toEqual(english.sort());
  });

  it("keeps French punctuation on the line of its word", () => {
    const texts = JSON.stringify(LANGUAGES.fr).split(/(?<!\\)"/);
    const isWrong = (text: string) => /\w[;?!]| [:;?!]|\w: |\w'\w/.test(text);
    expect(texts.filter(isWrong)).toEqual([]);
  });

  it.each(Object.keys(LANGUAGES))("%s names the same cards in each reason", (language) => {
    const gaps = (text: string) => text.match(/\{\w*\}/g)!.toSorted();
    const gapsOf = ({ reasons }: Words) => Object.values(reasons).map(gaps);
    expect(gapsOf(LANGUAGES[language])).toEqual(gapsOf(LANGUAGES.en));
  });
});
