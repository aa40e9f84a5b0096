// The legal calls: large buttons, groups of suits, and chips that open to levels and suits.

import { useEffect, useState } from "preact/hooks";

import { type Explanation, explanation } from "../language/rules-prose";
import { fill } from "../language/words";
import { parseCall } from "../messages/actions";
import { replayAuction } from "../messages/auction";
import { kindOf } from "../messages/kinds";
import { useLongPress } from "./long-press";
import {
  arrangeOffers,
  type Chip,
  groupBySuit,
  listOffers,
  needsConfirmation,
  type Offer,
} from "./offers";
import { isAccepted, type Scene } from "./scene";
import { SuitedText } from "./suited-text";

/** Suits of the rows of cards that may be asked for. */
const CARD_ROWS = ["S", "H", "C", "D"];

interface BiddingProps {
  scene: Scene;
  /** Asks the person a question before `then`. */
  confirm(text: string, yes: string, then: () => void): void;
  showMessage(text: string): void;
  /** Shows the explanation of a call. */
  explainCall(call: Explanation): void;
}

export function Bidding({ scene, confirm, showMessage, explainCall }: BiddingProps) {
  const { game, table, speech, wanted } = scene;
  const { words } = speech;
  /** Kind of the opened chip, "" for none. */
  const [openedKind, openKind] = useState("");
  const handlers = useLongPress();
  // A hint is not hidden by an opened chip.
  useEffect(() => openKind(""), [game.hint]);
  if (!game.isPersonsTurn || table.phase === "play" || table.phase === "done") return null;
  const { rules } = game.session;
  const { buttons, suitGroups, chips } = arrangeOffers(listOffers(table, rules, speech));
  const opened = chips.find(({ kind }) => kind === openedKind);

  const choose = (offer: Offer) => {
    if (!isAccepted(scene, offer.code, showMessage)) return;
    openKind("");
    const call = () => game.act(offer.code);
    // A puzzle costs no points.
    const isPuzzle = game.session.side?.kind === "puzzle";
    if (isPuzzle || !needsConfirmation(offer, rules)) return call();
    const { made, failed } = offer.points!;
    const points = { made: speech.signed(made), failed: speech.signed(failed) };
    confirm(fill(words.confirmCall, { call: offer.label, ...points }), words.callIt, call);
  };
  const isHinted = ({ code }: Offer) =>
    wanted ? wanted.includes(code) : game.hint?.action === code;
  const { auction } = replayAuction(table.history.slice(0, table.calls));
  const kindOfOffer = ({ code }: Offer) =>
    kindOf(code, table.phase, auction.meaning(table.you, code));
  const explained = (offer: Offer) => explanation(speech, kindOfOffer(offer));
  const explain = (offer: Offer) =>
    explainCall({ kind: kindOfOffer(offer), name: offer.label, text: explained(offer) });
  const pressed = (offer: Offer) =>
    handlers(
      () => explain(offer),
      () => choose(offer),
    );
  const hintClass = (offer: Offer) => (isHinted(offer) ? "hinted" : "");
  const pointsText = ({ points }: Offer) =>
    points && (
      <small title={words.guide.marks.points}>
        {speech.signed(points.made)} / {speech.signed(points.failed)}
      </small>
    );
  const button = (offer: Offer, isLarge: boolean) => (
    <button
      key={offer.code}
      type="button"
      data-action={offer.code}
      title={explained(offer)}
      {...pressed(offer)}
      class={`${isLarge ? "large" : ""} ${offer.code === "pass" ? "pass" : ""} ${hintClass(offer)}`}
    >
      <span class="said">
        <SuitedText text={offer.label} />
      </span>
      {pointsText(offer)}
    </button>
  );
  /** Calls that differ only in their suit, behind one label. */
  const suitGroup = (label: string, offers: Offer[]) => (
    <span class="suits" key={offers[0].code} role="group" aria-label={label}>
      <span>
        <span class="said">{label}</span>
        {pointsText(offers[0])}
      </span>
      {offers.map((offer) => {
        const strain = parseCall(offer.code)!.strain!;
        return (
          <button
            key={offer.code}
            type="button"
            data-action={offer.code}
            aria-label={offer.label}
            title={explained(offer)}
            {...pressed(offer)}
            class={`${strain === "NT" ? "noTrumps" : ""} ${hintClass(offer)}`}
          >
            <SuitedText text={speech.strain(strain)} />
          </button>
        );
      })}
    </span>
  );
  const suitCallLabel = ({ code, kind }: Offer) =>
    fill((words.calls as Record<string, string>)[kind], String(parseCall(code)!.level));
  const chipTitle = (kind: string) => {
    if (kind === "card") return "♠♥♣♦";
    if (kind === "misere") return words.misereFamily;
    if (kind === "slam" && !speech.isFlemish) return words.slamFamily;
    return speech.kindName(kind) || words.contract;
  };
  const chipButton = ({ kind, offers }: Chip) => {
    if (offers.length === 1) return button(offers[0], false);
    const isOpened = kind === openedKind;
    return (
      <button
        key={kind}
        type="button"
        class={`chip ${isOpened ? "opened" : ""} ${offers.some(isHinted) ? "hinted" : ""}`}
        aria-expanded={isOpened}
        data-kind={kind}
        onClick={() => openKind(isOpened ? "" : kind)}
      >
        <span>
          <span class="said">{chipTitle(kind)}</span> <span aria-hidden="true">▾</span>
        </span>
      </button>
    );
  };
  /** Cards that may be asked for: a row for each suit, high cards first. */
  const cardRows = (offers: Offer[]) =>
    CARD_ROWS.map((suit) => (
      <div class="row" key={suit}>
        {offers
          .filter(({ code }) => code[1] === suit)
          .reverse()
          .map((offer) => button(offer, false))}
      </div>
    ));
  /** Contracts of an opened chip: a group for each level or kind. */
  const contractChoices = (offers: Offer[]) =>
    groupBySuit(offers).map((group) => {
      const { kind, level, strain } = parseCall(group[0].code)!;
      if (!strain) return button(group[0], false);
      return suitGroup(level ? String(level) : speech.kindName(kind), group);
    });
  return (
    <div class="bids" role="group" aria-label={words.auction}>
      <div class="row">
        {buttons.map((offer) => button(offer, true))}
        {suitGroups.map((offers) => suitGroup(suitCallLabel(offers[0]), offers))}
      </div>
      {chips.length > 0 && <div class="chips">{chips.map(chipButton)}</div>}
      {opened && (
        <div class={`choices ${opened.kind === "card" ? "cards" : ""}`}>
          {opened.kind === "card" ? cardRows(opened.offers) : contractChoices(opened.offers)}
        </div>
      )}
    </div>
  );
}
