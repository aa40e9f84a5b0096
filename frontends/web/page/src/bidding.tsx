// What may be called: a few large buttons, and a chip for each kind that opens to level and suit.

import { useState } from "preact/hooks";

import { Suited } from "./card";
import { type Scene, stakes } from "./felt";
import type { Rules } from "./messages";
import { meanings, named } from "./sayings";
import { fill, isCard, parts } from "./words";

/** A call is confirmed where more than this many times the stake of the cheapest contract hangs on it. */
const CONFIRM = 3;

/** Stake of the cheapest contract of the rules: points between making it and being one trick short. */
function cheapest(rules: Rules | null): number {
  const all = rules?.contracts.map(({ kind, level }) => stakes(rules, kind, level)!) ?? [];
  return Math.min(...all.map(({ made, failed }) => made - failed).filter((stake) => stake > 0));
}

interface Offer { code: string; kind: string; label: string; made?: number; failed?: number }

/** Contracts that share a chip: those without tricks, and those of all tricks. */
const FAMILIES: Record<string, string> = { "small-misere": "misere", "open-misere": "misere", piccolo: "misere", "small-slam": "slam", "solo-slim": "slam" };
const family = (kind: string): string => FAMILIES[kind] ?? kind;

export function Bidding({ scene, confirm }: { scene: Scene; confirm(text: string, yes: string, then: () => void): void }) {
  const { game, table, speech } = scene;
  const { words } = speech;
  const [opened, open] = useState("");
  const inHand = new Set(table.hand);
  if (!game.myTurn || table.phase === "play" || table.phase === "done") return null;
  const [, auction] = meanings(table.history.slice(0, table.calls));
  const codes = table.legal.filter((code) => !(isCard(code, table.phase) && (table.phase === "discard" || inHand.has(code))));
  const offers: Offer[] = codes.map((code) => {
    if (isCard(code, table.phase)) return { code, kind: "card", label: speech.short(code) };
    const call = parts(code);
    if (!call) {
      const label = code === "keep" ? (table.phase === "exchange" ? words.keepTurnUp : words.keepTroel)
        : speech.call(code);
      return { code, kind: "plain", label: code === "keep" && table.announces === "trou" ? speech.call(code) : label };
    }
    if (call.kind === "trump") return { code, kind: "trump", label: speech.call(code) };
    const at = stakes(game.session.rules, call.kind, call.level || null);
    const points = at ? { made: at.made, failed: at.failed } : {};
    if (call.kind === "suit") {
      return { code, kind: auction.meaning(table.you, code), label: named(speech, auction, table.you, code, table.phase), ...points };
    }
    return { code, kind: family(call.kind), label: speech.call(code), ...points };
  });
  const call = ({ code, made, failed, label }: Offer) => {
    open("");
    const { rules } = game.session;
    if (made === undefined || failed === undefined || made - failed <= CONFIRM * cheapest(rules)) return game.act(code);
    const text = fill(words.confirmCall, { call: label, made: speech.signed(made), failed: speech.signed(failed) });
    confirm(text, words.callIt, () => game.act(code));
  };
  const button = (offer: Offer, large: boolean) => (
    <button key={offer.code} type="button" data-action={offer.code} onClick={() => call(offer)}
      class={`${large ? "large" : ""} ${offer.code === "pass" ? "pass" : ""} ${game.hint?.action === offer.code ? "hinted" : ""}`}>
      <span class="said"><Suited text={offer.label} /></span>
      {offer.made !== undefined && <small>{speech.signed(offer.made)} / {speech.signed(offer.failed!)}</small>}
    </button>
  );
  const primary = offers.filter(({ kind }) => kind === "plain" || kind === "trump");
  // Where only one suit may be proposed it needs no chip.
  const suits = offers.filter(({ kind }) => kind === "ask" || kind === "along" || kind === "raise");
  const lowest = suits.filter(({ code, kind }) => !suits.some((other) =>
    other.kind === kind && parts(other.code)!.strain === parts(code)!.strain && parts(other.code)!.level < parts(code)!.level));
  // Suits of one level that mean the same share a label.
  const together = (offer: Offer) => {
    const same = lowest.filter((other) => other.kind === offer.kind && parts(other.code)!.level === parts(offer.code)!.level);
    return same.length > 1 ? same : [];
  };
  const levels = lowest.map(together).filter((own, i) => own.length && own[0] === lowest[i]);
  const rest = offers.filter((offer) => !primary.includes(offer) && !lowest.includes(offer));
  const kinds = [...new Set(rest.map(({ kind }) => kind))];
  const families: Record<string, string> = { misere: words.misereFamily, slam: speech.flanders ? fill(speech.kind("slam"), "").trim() : words.slamFamily };
  const title = (kind: string) => families[kind] ?? (fill(speech.kind(kind), "").trim() || words.contract);
  const ofSuit = ["S", "H", "C", "D"] as const;
  /** Calls that differ in their suit only, behind one label. */
  const group = (label: string, own: Offer[]) => (
    <span class="suits" key={own[0].code} role="group" aria-label={label}>
      <span>{label}{own[0].made !== undefined && <small>{speech.signed(own[0].made)} / {speech.signed(own[0].failed!)}</small>}</span>
      {own.map((offer) => (
        <button key={offer.code} type="button" data-action={offer.code} aria-label={offer.label} onClick={() => call(offer)}
          class={`${parts(offer.code)!.strain === "NT" ? "noTrumps" : ""} ${game.hint?.action === offer.code ? "hinted" : ""}`}>
          <Suited text={speech.strain(parts(offer.code)!.strain!)} />
        </button>
      ))}
    </span>
  );
  /** The calls of an opened chip: a group for each height, or each contract of all tricks. */
  const choices = (offers: Offer[]) => {
    const key = ({ code, made, failed }: Offer) => { const { kind, level } = parts(code)!; return `${kind}/${level}/${made}/${failed}`; };
    return [...new Set(offers.map(key))].map((one) => {
      const own = offers.filter((offer) => key(offer) === one);
      const { kind, level, strain } = parts(own[0].code)!;
      return strain ? group(level ? String(level) : fill(speech.kind(kind), "").trim(), own) : button(own[0], false);
    });
  };
  return (
    <div class="bids" role="group" aria-label={words.auction}>
      <div class="row">
        {[...primary].sort((a, b) => Number(b.code === "keep") - Number(a.code === "keep")).map((offer) => button(offer, true))}
        {lowest.filter((offer) => !together(offer).length).map((offer) => button(offer, true))}
        {levels.map((own) => group(fill((words.calls as Record<string, string>)[own[0].kind], `${parts(own[0].code)!.level}`), own))}
      </div>
      {kinds.length > 0 && (
        <div class="chips">
          {kinds.map((kind) => {
            const own = rest.filter((offer) => offer.kind === kind);
            if (own.length === 1) return button(own[0], false);
            return (
              <button key={kind} type="button" class={`chip ${opened === kind ? "opened" : ""}`} aria-expanded={opened === kind} data-kind={kind}
                onClick={() => open(opened === kind ? "" : kind)}>
                {kind === "card" ? "♠♥♣♦" : title(kind)} <span aria-hidden="true">▾</span>
              </button>
            );
          })}
        </div>
      )}
      {opened && kinds.includes(opened) && (
        <div class={`choices ${opened === "card" ? "cards" : ""}`}>
          {opened === "card"
            ? ofSuit.map((suit) => <div class="row" key={suit}>{rest.filter(({ kind, code }) => kind === "card" && code[1] === suit).reverse().map((offer) => button(offer, false))}</div>)
            : choices(rest.filter(({ kind }) => kind === opened))}
        </div>
      )}
    </div>
  );
}
