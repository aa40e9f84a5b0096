import { beforeEach, describe, expect, it, vi } from "vitest";

import type { Message, Table } from "../messages/messages";
import { links } from "../testing/links";
import { calls, table } from "../testing/tables";
import { lastTable } from "./last-table";
import { lessonMatch } from "./lessons";
import { newMatch } from "./match";
import { Session } from "./session";
import { type Settings, saved } from "./storage";
import { StoredMatch } from "./stored-match";

vi.mock("../net/link", () => import("../testing/links"));

const OTHERWISE = { rules: "luxembourg", seed: 1 };
const TWO_DEALS = {
  ...newMatch({ rules: "wiezen", seed: 2 }, ["", "", ""]),
  deals: [["pass"], ["pass"]],
};
const PEOPLE = { people: {}, ready: [], token: null };

let listeners: Record<string, () => void>;

/** Returns a session and the tables that it showed. */
function open() {
  const shown: Table[] = [];
  const session = new Session(() => ({ bots: ["", "", ""] }) as unknown as Settings, {
    usualRules: () => session.match?.rules ?? "iwwa",
    isQuiet: () => true,
    disconnected: () => {},
    clearTable: () => void shown.splice(0),
    show: (message) => void shown.push(message),
    answered: () => {},
    said: () => {},
    refused: () => {},
    redraw: () => {},
  });
  return { session, shown };
}

const link = () => links.at(-1)!;
const answer = (message: Message) => link().message(message);
const refuse = (of: string, lost = true) =>
  answer({ type: "refused", of, message: "refused by the test", lost });
const sent = () => link().sent.map(({ type }) => type);

/** Returns a session at a shared table that this window has opened. */
function share() {
  const opened = open();
  opened.session.resumeOrStart(OTHERWISE);
  opened.session.share("Anna", { ...OTHERWISE, length: 16 });
  link().opened();
  return opened;
}

describe("Session", () => {
  beforeEach(() => {
    links.length = 0;
    listeners = {};
    vi.stubGlobal("addEventListener", (kind: string, then: () => void) => {
      listeners[kind] = then;
    });
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockImplementation(() => {});
    return () => void vi.useRealTimers();
  });

  it("starts a match if none is stored, and stores what it is shown", () => {
    const { session, shown } = open();
    expect(session.resumeOrStart(OTHERWISE)).toBe(true);
    link().opened();
    expect(link().sent).toMatchObject([{ type: "rules" }, { type: "new", ...OTHERWISE }]);
    answer(table());
    expect(shown).toHaveLength(1);
    expect(new StoredMatch().read()).toMatchObject({ ...OTHERWISE, deals: [[]] });
  });

  it("resumes the stored match", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = open();
    expect(session.resumeOrStart(OTHERWISE)).toBe(false);
    link().opened();
    expect(link().sent[1]).toMatchObject({ type: "restore", rules: "wiezen", seed: 2 });
  });

  it("keeps a stored match of another version", () => {
    localStorage.setItem("troel-match", "{}");
    const { session } = open();
    session.resumeOrStart(OTHERWISE);
    expect([session.notice, session.match, links.length]).toEqual(["unknown", null, 0]);
    expect(session.inProgress).toBe(true);
    session.startMatch(OTHERWISE);
    link().opened();
    answer(table());
    expect([session.notice, session.match?.seed]).toEqual(["", 1]);
  });

  it("drops deals that contradict the rules only when the person says so", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = open();
    session.resumeOrStart(OTHERWISE);
    link().opened();
    refuse("restore");
    expect(session.notice).toBe("misfit");
    session.dropDeals();
    link().opened();
    refuse("restore");
    expect(link().sent.at(-1)).toMatchObject({ type: "restore", deals: [["pass"]] });
    answer(table({ rules: "wiezen" }));
    expect(session.notice).toBe("");
  });

  it("says that the table lacks the rules of the match", () => {
    const { session } = open();
    session.resumeOrStart(OTHERWISE);
    link().opened();
    refuse("rules");
    refuse("new", false);
    expect(session.notice).toBe("absent");
  });

  it("shows the earlier match again if a new one is refused", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = open();
    session.resumeOrStart(OTHERWISE);
    session.startMatch(OTHERWISE);
    link().opened();
    refuse("new", false);
    link().opened();
    answer(table({ rules: "wiezen" }));
    session.reportRefusal(false);
    expect([session.notice, session.match?.rules]).toEqual(["unreadable", "wiezen"]);
  });

  it("leaves the match to another window until the person takes it back", () => {
    const { session } = open();
    session.resumeOrStart(OTHERWISE);
    link().opened();
    answer(table());
    new StoredMatch().write(TWO_DEALS);
    listeners.storage();
    expect([session.notice, link().isClosed]).toEqual(["moved", true]);
    session.retake();
    link().opened();
    expect(link().sent[1]).toMatchObject({ type: "restore", rules: "wiezen" });
  });

  it("opens a shared table once, and joins it after a lost connection", () => {
    const { session } = share();
    const asked = { type: "share", name: "Anna", rules: "luxembourg", length: 16 };
    expect(link().sent).toMatchObject([asked]);
    link().lost();
    vi.runOnlyPendingTimers();
    link().opened();
    expect(sent()).toEqual(["share"]);
    answer(table(PEOPLE));
    link().lost();
    vi.runOnlyPendingTimers();
    link().opened();
    expect(sent()).toEqual(["join"]);
    expect(saved.sharedSeat()).toEqual(session.sharedSeat);
  });

  it("watches a deal of a shared table that began without the person", () => {
    const { shown, session } = open();
    session.resumeOrStart(OTHERWISE);
    session.join("0123456789abcdef", "Bert");
    link().opened();
    expect(session.match).toBeNull();
    answer(table({ ...PEOPLE, rules: "iwwa", you: "N", watching: true, turn: "N" }));
    expect([shown.length, session.match?.seat]).toEqual([1, "N"]);
    expect(sent()).toEqual(["join", "rules"]);
  });

  it("returns to the own match if it gets no seat", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = share();
    refuse("join");
    expect([session.sharedSeat, saved.sharedSeat()]).toEqual([null, null]);
    expect(session.match?.rules).toBe("wiezen");
    link().opened();
    answer(table());
    session.reportRefusal(false);
    expect(session.notice).toBe("noSeat");
  });

  it("offers the way back to a shared table that was not left", () => {
    share();
    const bert = { name: "Bert", here: true, bot: false, whole: true };
    answer(table({ ...PEOPLE, rules: "iwwa", people: { N: bert, S: { ...bert, name: "Anna" } } }));
    const secret = saved.sharedSeat()!.table;
    expect(lastTable()).toMatchObject({ table: secret, rules: "iwwa", others: ["Bert"] });
    // The tab was closed.
    saved.storeSharedSeat(null);
    const { session } = open();
    session.join(secret, "Anna");
    link().opened();
    expect(link().sent).toMatchObject([{ type: "join", table: secret, key: saved.key(secret) }]);
    refuse("join");
    expect(lastTable()).toBeNull();
  });

  it("forgets a shared table that the person leaves", () => {
    const { session } = share();
    answer(table(PEOPLE));
    expect(lastTable()).not.toBeNull();
    session.leave();
    expect(lastTable()).toBeNull();
  });

  it("offers no way back to a table of yesterday", () => {
    share();
    answer(table(PEOPLE));
    vi.advanceTimersByTime(24 * 60 * 60 * 1000);
    expect(lastTable()).toBeNull();
  });

  it("reports on the start screen that a table has ended if there is no own match", () => {
    const { session, shown } = open();
    session.join("0123456789abcdef", "Bert");
    link().opened();
    answer(table(PEOPLE));
    refuse("join");
    expect([session.isIdle, session.notice, link().isClosed]).toEqual([true, "noSeat", true]);
    expect(shown).toEqual([]);
  });

  it("resumes nothing where nothing is stored", () => {
    const { session } = open();
    expect(session.resume()).toBe(false);
    expect([session.isIdle, session.inProgress, links.length]).toEqual([true, false, 0]);
  });

  it("asks before it replaces a match that another window stored meanwhile", () => {
    const { session } = open();
    session.resume();
    new StoredMatch().write(TWO_DEALS);
    listeners.storage();
    expect([session.isIdle, session.inProgress]).toEqual([true, true]);
  });

  it("plays a lesson beside the own match", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = open();
    session.resume();
    session.startSideMatch(lessonMatch("alone", "luxembourg"));
    link().opened();
    expect(link().sent[1]).toMatchObject({
      type: "restore",
      deals: [["8S", "pass", "pass", "pass"]],
    });
    answer(table({ history: calls("S:8S W:pass N:pass E:pass S:solo-6S") }));
    expect([session.side?.name, session.inProgress]).toEqual(["alone", false]);
    expect(new StoredMatch().read()).toMatchObject({ seed: 2, deals: TWO_DEALS.deals });
    // A reload goes on with the lesson.
    const reloaded = open().session;
    reloaded.resume();
    expect(reloaded.match?.deals).toEqual([["8S", "pass", "pass", "pass", "solo-6S"]]);
    reloaded.leave();
    expect([reloaded.side, reloaded.match?.rules]).toEqual([null, "wiezen"]);
  });

  it("shows a kept deal again beside the own match", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = open();
    session.resume();
    const record = { rules: "iwwa", dealer: "W", deal: "a" } as const;
    const kept = { ...newMatch({ rules: "iwwa", record }, ["", "", ""]), deals: [["8S"]] };
    session.startSideMatch({ ...kept, side: { kind: "kept", name: "2026-01-01T00:00:00.000Z" } });
    link().opened();
    expect(link().sent[1]).toMatchObject({ type: "restore", record, deals: [["8S"]] });
    answer(table({ rules: "iwwa", history: calls("S:8S") }));
    expect([session.side?.kind, session.inProgress]).toEqual(["kept", false]);
    expect(new StoredMatch().read()).toMatchObject({ rules: "wiezen", deals: TWO_DEALS.deals });
    // A reload shows the deal, too.
    const reloaded = open().session;
    reloaded.resume();
    expect(reloaded.match).toMatchObject({ rules: "iwwa", side: { kind: "kept" } });
    reloaded.leave();
    expect([reloaded.side, reloaded.match?.rules]).toEqual([null, "wiezen"]);
  });

  it("plays house rules on this page, also after a reload", () => {
    const { session } = open();
    session.startMatch({ rules: "club", house: "house=wiezen&id=club&misere=off" });
    const rule_file = expect.stringContaining('id = "club"');
    for (const type of ["new", "restore"]) {
      expect(link().isLocal).toBe(true);
      link().opened();
      expect(link().sent).toMatchObject([
        { type: "rules", rule_file },
        { type, rule_file },
      ]);
      answer(table({ rules: "club", history: calls("S:8S") }));
      expect(session.notice).toBe("");
      open().session.resume();
    }
  });

  it("leaves a lesson that the table refuses", () => {
    const { session } = open();
    session.startSideMatch(lessonMatch("alone", "luxembourg"));
    link().opened();
    refuse("restore");
    expect(session.isIdle).toBe(true);
  });

  it("leaves a shared table for the own match", () => {
    new StoredMatch().write(TWO_DEALS);
    const { session } = share();
    answer(table(PEOPLE));
    const left = link();
    session.leave();
    expect(left.sent.at(-1)).toEqual({ type: "leave" });
    expect([session.sharedSeat, session.match?.rules]).toEqual([null, "wiezen"]);
  });
});
