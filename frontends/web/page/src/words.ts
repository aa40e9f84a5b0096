// What the page says, in five languages; the texts are in ../../words.

import de from "../../words/de.json";
import en from "../../words/en.json";
import fr from "../../words/fr.json";
import lb from "../../words/lb.json";
import nl from "../../words/nl.json";
import type { Contract, Phase, Suit } from "./messages";

export type Words = typeof en;
type Plural = { one: string; other: string };
/** Forms of a sentence by its subject: the person alone, another alone, the person with others, several others. */
type Forms = Record<"you" | "one" | "withYou" | "several", string>;

export const LANGUAGES: Record<string, Words> = { lb, nl, de, fr, en };

/** Returns the language of the page: the chosen one, or else one of the browser, or else English. */
export function pageLanguage(chosen: string): string {
  const wanted = [chosen, ...navigator.languages.map((name) => name.slice(0, 2)), "en"];
  return wanted.find((name) => name && Object.hasOwn(LANGUAGES, name))!;
}

export const SIGNS: Record<Suit, string> = { S: "♠", C: "♣", D: "♦", H: "♥" };

/** What a Luxembourgish word begins with if the word before it keeps its final n; numbers as they are spoken. */
const KEEPS_N = /^[aeiouyäëéèêöüœhndtz12389]/i;

/** A sentence with its gaps filled: `{}` and `{name}`. An n in brackets before a gap depends on what the gap is filled with. */
export function fill(text: string, gaps: string | Record<string, string | number> = {}): string {
  const values: Record<string, string | number> = typeof gaps === "string" ? { "": gaps } : gaps;
  return text.replace(/(?:\((nn?)\)( ))?\{(\w*)\}/g, (_, n: string | undefined, blank = "", name: string) => {
    const value = String(values[name] ?? "");
    return (n && KEEPS_N.test(value) ? n : "") + blank + value;
  });
}

const LETTERS: Record<string, string> = { en: "AKQJ", nl: "AHVB", fr: "ARDV", de: "AKDB" };
const KINDS = /^(solo-slim|small-slam|small-misere|open-misere|misere|piccolo|solo|abondance|slam|trump)(?:-(\d*)(NT|[SCDH])?)?$/;

/** What a call asks for: kind of contract, level, strain. */
export interface Parts { kind: string; level: number; strain: Suit | "NT" | null }

/** The parts of a call that names a contract; `null` for the others. */
export function parts(code: string): Parts | null {
  const suited = /^(\d+)([SCDH])$/.exec(code);
  if (suited) return { kind: "suit", level: Number(suited[1]), strain: suited[2] as Suit };
  const found = KINDS.exec(code);
  if (!found) return null;
  const level = Number(found[2] || 0);
  const kind = found[1] === "solo" && level === 5 ? "alone" : found[1];
  return { kind, level, strain: (found[3] as Suit | "NT") || null };
}

/** Whether an action in this phase is a card: `8S` is a call in the auction. */
export const isCard = (code: string, phase: Phase): boolean => phase !== "auction" && /^[2-9TJQKA][SHDC]$/.test(code);

/** A language, and how its people write. */
export class Speech {
  readonly words: Words;
  readonly #plural: Intl.PluralRules;

  constructor(readonly language: string, readonly rules: string, readonly letters: string, readonly flanders: boolean) {
    this.words = LANGUAGES[language] ?? en;
    this.#plural = new Intl.PluralRules(this.words.locale);
  }

  /** A number with the decimal sign of the language and one kind of minus. */
  number(value: number, digits = 0): string {
    const text = Math.abs(value).toLocaleString(this.words.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    return (value < 0 && Number(value.toFixed(digits)) !== 0 ? "−" : "") + text;
  }

  /** A number with its sign. */
  signed(value: number, digits = 0): string {
    const rounded = Number(value.toFixed(digits));
    return (rounded > 0 ? "+" : "") + this.number(rounded, digits);
  }

  /** So many of something. */
  count(forms: Plural, value: number, shown = this.number(value)): string {
    return fill(this.#plural.select(Math.abs(value)) === "one" ? forms.one : forms.other, { n: shown });
  }

  /** The form of a sentence about one or more, the person among them or not. */
  about(forms: Forms, isYou: boolean, many: boolean): string {
    return forms[many ? (isYou ? "withYou" : "several") : isYou ? "you" : "one"];
  }

  /** Names one after the other, such as "You, North and East". */
  list(names: string[]): string {
    if (names.length < 2) return names.join();
    return fill(this.words.and, { first: names.slice(0, -1).join(", "), last: names.at(-1)! });
  }

  /** The rank of a card as it is printed on it. */
  rank(code: string): string {
    const letters = this.letters === "auto" ? this.words.letters : LETTERS[this.letters];
    const at = "AKQJ".indexOf(code[0]);
    return at >= 0 ? letters[at] : code[0] === "T" ? "10" : code[0];
  }

  /** A card as a sign, such as 10♥. */
  short(code: string): string {
    return this.rank(code) + SIGNS[code[1] as Suit];
  }

  /** A card in words, such as "ace of hearts". */
  card(code: string): string {
    const { ranks, suits, card, pip } = this.words;
    const rank = ranks[code[0] as keyof typeof ranks];
    return fill(rank ? card : pip, { rank: rank ?? code[0].replace("T", "10"), suit: suits[code[1] as Suit] });
  }

  /** A suit or no trumps. */
  strain(strain: Suit | "NT"): string {
    return strain === "NT" ? this.words.noTrumps : SIGNS[strain];
  }

  /** The name of a kind of contract under these rules, with a gap. */
  kind(kind: string): string {
    const calls: Record<string, string> = { ...this.words.calls };
    if (this.flanders) Object.assign(calls, this.words.callsFlanders);
    if (this.rules === "iwwa") Object.assign(calls, this.words.callsIwwa);
    return calls[kind] ?? kind;
  }

  /** A call as people say it. */
  call(code: string): string {
    const found = parts(code);
    if (!found) return this.kind(code);
    const level = found.level ? `${found.level} ` : "";
    return fill(this.kind(found.kind), level + (found.strain ? this.strain(found.strain) : "")).trim();
  }

  /** An action of this phase: a card as a sign, a call in words. */
  action(code: string, phase: Phase): string {
    return isCard(code, phase) ? this.short(code) : this.call(code);
  }

  /** A contract as people say it. */
  contract({ kind, level, trump }: Contract): string {
    const suit = trump ? SIGNS[trump] : kind.endsWith("slam") ? this.words.noTrumps : "";
    const height = ["suit", "solo", "alone", "abondance"].includes(kind) && level ? `${level} ` : "";
    const name = this.kind(kind);
    const text = name.includes("{}") ? fill(name, height + suit) : [name, kind === "trou" || kind === "troel" ? `${level} ${suit}` : suit].join(" ");
    return text.trim();
  }
}
