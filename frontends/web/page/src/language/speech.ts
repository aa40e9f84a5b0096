// Formatting of numbers, cards, calls and contracts in a language.

import { isCard, parseCall } from "../messages/actions";
import type { Contract, Phase, Strain, Suit } from "../messages/messages";
import { fill, type Words, wordsOf } from "./words";

/** Forms of a text by number. */
interface PluralForms {
  one: string;
  other: string;
}

/**
 * Forms of a sentence by subject: the person, one other seat, the person with others, several
 * others.
 */
type SubjectForms = Record<"you" | "one" | "withYou" | "several", string>;

const SUIT_SIGNS: Readonly<Record<Suit, string>> = { S: "♠", C: "♣", D: "♦", H: "♥" };

/** Ranks that languages print with their own letters, in the order of `RANK_LETTERS`. */
const LETTER_RANKS = "AKQJ";
/** Letters on the cards, by language. */
const RANK_LETTERS: Readonly<Record<string, string>> = {
  en: "AKQJ",
  nl: "AHVB",
  fr: "ARDV",
  de: "AKDB",
};

/** Locales of dates where those of numbers would be read otherwise here. */
const DATE_LOCALES: Readonly<Record<string, string>> = { en: "en-GB", nl: "nl-BE" };

/** Kinds of contracts whose name has the level. */
export const KINDS_WITH_LEVEL: readonly string[] = ["suit", "solo", "alone", "abondance"];
const FORCED_KINDS = ["trou", "troel"];

/** Returns the name of a suit contract whose trumps are open. */
export const suitContract = (level: number): string => `${level} ♠♣♦♥`;

/** A language, with the names that a rule set uses. */
export class Speech {
  readonly words: Words;
  readonly #plural: Intl.PluralRules;

  constructor(
    readonly language: string,
    readonly rules: string,
    /** Letters on the cards: a key of `RANK_LETTERS`, or "auto" for those of the language. */
    readonly letters: string,
    /** Whether contracts have their Flemish names. */
    readonly isFlemish: boolean,
  ) {
    this.words = wordsOf(language);
    this.#plural = new Intl.PluralRules(this.words.locale);
  }

  /** Formats a number with the decimal sign of the language and one kind of minus. */
  number(value: number, digits = 0): string {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    const text = Math.abs(value).toLocaleString(this.words.locale, options);
    return (value < 0 && Number(value.toFixed(digits)) !== 0 ? "−" : "") + text;
  }

  /** Formats a number with its sign. */
  signed(value: number, digits = 0): string {
    const rounded = Number(value.toFixed(digits));
    return (rounded > 0 ? "+" : "") + this.number(rounded, digits);
  }

  /** Formats a date such as 2026-01-15. */
  date(day: string): string {
    const locale = DATE_LOCALES[this.language] ?? this.words.locale;
    return new Date(day).toLocaleDateString(locale, {
      day: "numeric",
      month: "short",
      year: "numeric",
      timeZone: "UTC",
    });
  }

  /** Returns the form of a text for `value`, with the number written as `shown`. */
  count(forms: PluralForms, value: number, shown = this.number(value)): string {
    const form = this.#plural.select(Math.abs(value)) === "one" ? forms.one : forms.other;
    return fill(form, { n: shown });
  }

  /** Returns the form of a sentence for its subject. */
  about(forms: SubjectForms, isYou: boolean, isMany: boolean): string {
    if (isMany) return isYou ? forms.withYou : forms.several;
    return isYou ? forms.you : forms.one;
  }

  /** Returns a sentence with a capital first letter. */
  sentence(text: string): string {
    return text.charAt(0).toUpperCase() + text.slice(1);
  }

  /** Joins names, for example "You, North and East". */
  list(names: string[]): string {
    if (names.length < 2) return names.join();
    return fill(this.words.and, { first: names.slice(0, -1).join(", "), last: names.at(-1)! });
  }

  /** Returns the rank of a card as it is printed on the card. */
  rank(code: string): string {
    const letters = this.letters === "auto" ? this.words.letters : RANK_LETTERS[this.letters];
    const at = LETTER_RANKS.indexOf(code[0]);
    if (at >= 0) return letters[at];
    return code[0] === "T" ? "10" : code[0];
  }

  /** Returns a card as rank and sign, for example 10♥. */
  cardSign(code: string): string {
    return this.rank(code) + SUIT_SIGNS[code[1] as Suit];
  }

  /** Returns a card in words, for example "ace of hearts". */
  cardName(code: string): string {
    const { ranks, suits, card, pip } = this.words;
    const rank = ranks[code[0] as keyof typeof ranks];
    const suit = suits[code[1] as Suit];
    return fill(rank ? card : pip, { rank: rank ?? code[0].replace("T", "10"), suit });
  }

  /** Returns the sign of a suit, or the words for no trumps. */
  strain(strain: Strain): string {
    return strain === "NT" ? this.words.noTrumps : SUIT_SIGNS[strain];
  }

  /** Returns the name of a kind of contract under these rules, with a gap for level and suit. */
  kind(kind: string): string {
    const names: Record<string, string> = { ...this.words.calls };
    if (this.isFlemish) Object.assign(names, this.words.callsFlanders);
    if (this.rules === "iwwa") Object.assign(names, this.words.callsIwwa);
    return names[kind] ?? kind;
  }

  /** Returns the name of a kind of contract without level and suit. */
  kindName(kind: string): string {
    return fill(this.kind(kind), "").trim();
  }

  /** Returns the name of a call. */
  call(code: string): string {
    const call = parseCall(code);
    if (!call) return this.kind(code);
    const level = call.level ? `${call.level} ` : "";
    return fill(this.kind(call.kind), level + (call.strain ? this.strain(call.strain) : "")).trim();
  }

  /** Returns the name of an action in this phase. A card is written as its sign. */
  action(code: string, phase: Phase): string {
    return isCard(code, phase) ? this.cardSign(code) : this.call(code);
  }

  /** Returns the name of a contract. */
  contract({ kind, level, trump }: Contract): string {
    let suit = kind.endsWith("slam") ? this.words.noTrumps : "";
    if (trump) suit = SUIT_SIGNS[trump];
    const name = this.kind(kind);
    if (name.includes("{}")) {
      return fill(
        name,
        (KINDS_WITH_LEVEL.includes(kind) && level ? `${level} ` : "") + suit,
      ).trim();
    }
    return `${name} ${FORCED_KINDS.includes(kind) && level ? `${level} ${suit}` : suit}`.trim();
  }
}
