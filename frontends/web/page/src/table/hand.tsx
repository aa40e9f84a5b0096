// The person's hand.

import { useEffect, useRef, useState } from "preact/hooks";

import { fill } from "../language/words";
import type { Suit, Table } from "../messages/messages";
import { CardFace } from "./card";
import { isAccepted, type Scene } from "./scene";
import { dealtSuits, sortedHand, suitOrder } from "./sorting";

/** Returns the suit that the hand has to follow; `null` if it is free. */
function suitToFollow(table: Table): Suit | null {
  const led = table.trick[0]?.card[1] as Suit | undefined;
  return led && table.hand.some((card) => card[1] === led) ? led : null;
}

/** Whether the person plays or discards in this phase. */
const usesCards = ({ phase }: Table): boolean => phase === "play" || phase === "discard";

/** Returns the reason why a card cannot be played. */
function refusalText({ game, table, speech }: Scene): string {
  const { words } = speech;
  if (!game.isPersonsTurn) return words.notYourTurn;
  const led = usesCards(table) && suitToFollow(table);
  if (led && table.legal.every((code) => code[1] === led)) {
    return fill(words.follow, words.suits[led]);
  }
  if (usesCards(table) && table.legal.length === 1) {
    return fill(words.aceFirst, speech.cardName(table.legal[0]));
  }
  return words.notNow;
}

/** Moves the focus to a legal action at each turn of a person who plays by keyboard. */
function useKeyboardFocus(hand: { current: HTMLElement | null }, turn: string) {
  const usesKeyboard = useRef(false);
  useEffect(() => {
    const focused = document.activeElement;
    const isFree = focused === document.body || hand.current?.contains(focused);
    if (!turn || !usesKeyboard.current || !isFree) return;
    const card = hand.current?.querySelector<HTMLElement>(".card.legal");
    (card ?? document.querySelector<HTMLElement>(".bids button"))?.focus();
  }, [turn]);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!event.metaKey && !event.ctrlKey) usesKeyboard.current = true;
    };
    const pointed = () => {
      usesKeyboard.current = false;
    };
    addEventListener("keydown", pressed);
    addEventListener("pointerdown", pointed);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener("pointerdown", pointed);
    };
  }, []);
}

interface HandProps {
  scene: Scene;
  showMessage(text: string): void;
}

/** The person's cards. A click on a card that cannot be played shows the reason. */
export function Hand({ scene, showMessage }: HandProps) {
  const { game, table, speech, settings } = scene;
  /** The card that was clicked once, if cards have to be clicked twice. */
  const [chosen, choose] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const isActive = game.isPersonsTurn && usesCards(table);
  const turn = game.isPersonsTurn ? `${table.deal}/${table.history.length}` : "";
  useEffect(() => choose(null), [turn]);
  useKeyboardFocus(box, turn);
  const trump = (settings.trumpsFirst && table.contract?.trump) || null;
  const cards = sortedHand(table.hand, suitOrder(dealtSuits(table), trump));

  const clicked = (code: string) => {
    if (game.fullTrick) return game.skipTrickPause();
    if (!isActive || !table.legal.includes(code)) return showMessage(refusalText(scene));
    if (!isAccepted(scene, code, showMessage)) return;
    if (settings.twice && chosen !== code) {
      choose(code);
      return showMessage(fill(speech.words.clickAgain, speech.cardName(code)));
    }
    showMessage("");
    game.act(code);
  };
  const moveFocus = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const buttons = [...box.current!.querySelectorAll<HTMLElement>(".card")];
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
    event.preventDefault();
  };
  const button = (code: string, i: number) => {
    const isLegal = isActive && table.legal.includes(code);
    // Tab reaches the legal cards, or the first card if no card may be played.
    const isTabStop = isLegal || (!isActive && i === 0) || (isActive && !table.legal.length);
    const startsSuit = i > 0 && cards[i - 1][1] !== code[1];
    const classes = [
      "card",
      isLegal ? "legal" : "",
      chosen === code ? "chosen" : "",
      table.turn_up === code ? "turned" : "",
      game.hint?.action === code && isActive ? "hinted" : "",
      startsSuit ? "gap" : "",
    ];
    return (
      <button
        key={code}
        type="button"
        data-card={code}
        data-action={code}
        aria-disabled={!isLegal}
        aria-label={speech.cardName(code)}
        tabIndex={isTabStop ? 0 : -1}
        class={classes.join(" ")}
        onClick={() => clicked(code)}
      >
        <CardFace code={code} speech={speech} />
      </button>
    );
  };
  return (
    <div
      class={`hand ${isActive ? "mine" : ""}`}
      ref={box}
      role="group"
      aria-label={speech.words.yourHand}
      onKeyDown={moveFocus}
    >
      {cards.map(button)}
    </div>
  );
}
