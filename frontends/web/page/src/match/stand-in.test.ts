import { describe, expect, it } from "vitest";

import type { Person, Table, VisibleAction } from "../messages/messages";
import { calls, table } from "../testing/tables";
import { StandIn } from "./stand-in";

const ANNA: Person = { name: "Anna", here: true, bot: false, whole: true };
const card = (seat: "S" | "N", action: string): VisibleAction => ({ seat, action, phase: "play" });

/** Returns a shared table with this state of the person. */
const shared = (person: Partial<Person>, history: VisibleAction[], more: Partial<Table> = {}) =>
  table({ people: { S: { ...ANNA, ...person } }, history, ...more });

describe("StandIn", () => {
  const played = [card("N", "AS"), card("S", "2S")];

  it("has nothing to report while the person plays", () => {
    const standIn = new StandIn();
    expect(standIn.follow(shared({}, calls("S:8S")))).toBeNull();
    expect(standIn.follow(shared({}, played))).toBeNull();
  });

  it("counts the cards of the bot, not those of the person", () => {
    const standIn = new StandIn();
    standIn.follow(shared({}, played));
    const away = { bot: true, whole: false };
    expect(standIn.follow(shared(away, played))).toEqual({ kind: "plays" });
    const more = [...played, card("N", "KS"), card("S", "3S")];
    standIn.follow(shared(away, more));
    expect(standIn.follow(shared({ whole: false }, more))).toEqual({ kind: "played", cards: 1 });
    expect(standIn.follow(shared({ whole: false }, [...more, card("S", "4S")]))).toBeNull();
  });

  it("counts after a lost connection", () => {
    const standIn = new StandIn();
    standIn.follow(shared({}, played));
    const news = standIn.follow(shared({ whole: false }, [...played, card("S", "3S")]));
    expect(news).toEqual({ kind: "played", cards: 1 });
  });

  it("does not know the number after a reload, nor in another deal", () => {
    const standIn = new StandIn();
    const unknown = { kind: "played", cards: null };
    expect(standIn.follow(shared({ whole: false }, played))).toEqual(unknown);
    standIn.follow(shared({ bot: true, whole: false }, played));
    standIn.follow(shared({ bot: true, whole: false }, calls("S:pass"), { deal: 1 }));
    expect(standIn.follow(shared({ whole: false }, calls("S:pass"), { deal: 1 }))).toEqual(unknown);
  });

  it("reports that the bot stops before it has done anything", () => {
    const standIn = new StandIn();
    standIn.follow(shared({}, played));
    standIn.follow(shared({ bot: true, whole: false }, played));
    expect(standIn.follow(shared({ whole: false }, played))).toEqual({ kind: "stopped" });
  });

  it("reports no bot that has done nothing, nor the bot of a person who watches", () => {
    expect(new StandIn().follow(shared({ whole: false }, [card("N", "AS")]))).toBeNull();
    expect(new StandIn().follow(shared({ bot: true }, played, { watching: true }))).toBeNull();
  });
});
