import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Command } from "../messages/messages";
import { links } from "../testing/links";
import { Connection } from "./connection";

vi.mock("./link", () => import("../testing/links"));

const ACT: Command = { type: "act", action: "8S" };
const HINT: Command = { type: "hint" };

function connect({ canPlayHere = true, isQuiet = true, needsPage = false } = {}) {
  const callbacks = {
    needsPage: vi.fn(() => needsPage),
    reconnect: () => connection.open(),
    opened: vi.fn(),
    message: vi.fn(),
    lost: vi.fn(),
    canPlayHere: () => canPlayHere,
    isQuiet: vi.fn(() => isQuiet),
  };
  const connection = new Connection(callbacks);
  connection.open();
  return { connection, callbacks };
}

/** Opens a connection on which the match has arrived. */
function connected(options = {}) {
  const opened = connect(options);
  links.at(-1)!.opened();
  opened.connection.noteMatch(true);
  return opened;
}

/** Loses connections until the bots of this page play. */
function standIn() {
  const opened = connected();
  for (let attempt = 0; attempt < 3; attempt++) {
    links.at(-1)!.lost();
    vi.runOnlyPendingTimers();
  }
  links.at(-1)!.opened();
  opened.connection.noteMatch(true);
  return opened;
}

describe("Connection", () => {
  beforeEach(() => {
    links.length = 0;
    vi.useFakeTimers();
    vi.spyOn(console, "error").mockImplementation(() => {});
  });
  afterEach(() => void vi.useRealTimers());

  it("stays on this page for rules that only this page has, and no longer", () => {
    const { connection, callbacks } = connected({ needsPage: true });
    expect([links[0].isLocal, connection.isStandIn]).toEqual([true, false]);
    connection.retryNow();
    vi.runOnlyPendingTimers();
    expect(links).toHaveLength(1);
    callbacks.needsPage.mockReturnValue(false);
    connection.open();
    expect(links.at(-1)!.isLocal).toBe(false);
  });

  it("asks for the match as soon as it is open, and is blocked until it arrives", () => {
    const { connection, callbacks } = connect();
    expect(connection.isBlocked).toBe(true);
    links[0].opened();
    expect(callbacks.opened).toHaveBeenCalledOnce();
    expect(connection.isBlocked).toBe(true);
    expect(connection.noteMatch(true)).toBe(true);
    expect(connection.isBlocked).toBe(false);
  });

  it("retries after delays that double", () => {
    connected();
    links[0].lost();
    vi.advanceTimersByTime(499);
    expect(links).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(links).toHaveLength(2);
    links[1].lost();
    vi.advanceTimersByTime(999);
    expect(links).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(links).toHaveLength(3);
  });

  it("repeats a command without an answer over the new link, and no other command", () => {
    const { connection } = connected();
    connection.send(HINT);
    connection.sendReliably(ACT);
    links[0].lost();
    vi.runOnlyPendingTimers();
    links[1].opened();
    expect(links[1].sent).toEqual([]);
    connection.noteMatch(true);
    expect(links[1].sent).toEqual([ACT]);
    expect(connection.isBlocked).toBe(true);
    connection.noteMatch(true);
    expect(connection.isBlocked).toBe(false);
  });

  it("does not repeat a command at a shared table", () => {
    const { connection } = connected();
    connection.sendReliably(ACT);
    links[0].lost();
    vi.runOnlyPendingTimers();
    links[1].opened();
    connection.noteMatch(false);
    expect(links[1].sent).toEqual([]);
    expect(connection.isBlocked).toBe(false);
  });

  it("lets the bots of this page play after three failed attempts", () => {
    const { connection } = standIn();
    expect(links.map(({ isLocal }) => isLocal)).toEqual([false, false, false, true]);
    expect(connection.isStandIn).toBe(true);
  });

  it("goes on trying the server if this page cannot play the rules", () => {
    connected({ canPlayHere: false });
    for (let attempt = 0; attempt < 4; attempt++) {
      links.at(-1)!.lost();
      vi.runOnlyPendingTimers();
    }
    expect(links.every(({ isLocal }) => !isLocal)).toBe(true);
  });

  it("moves back to the server while the earlier table stays in use", () => {
    const { connection } = standIn();
    const local = links.at(-1)!;
    vi.advanceTimersByTime(4000);
    const server = links.at(-1)!;
    expect(server.isLocal).toBe(false);
    expect(local.isClosed).toBe(false);
    server.opened();
    expect(local.isClosed).toBe(true);
    expect(connection.isStandIn).toBe(false);
    expect(connection.isBlocked).toBe(false);
    // A command waits until the match has arrived at the server.
    connection.sendReliably(ACT);
    expect(server.sent).toEqual([]);
    connection.noteMatch(true);
    expect(server.sent).toEqual([ACT]);
  });

  it("stays with the bots of this page while the person waits for something", () => {
    const { connection, callbacks } = standIn();
    vi.advanceTimersByTime(4000);
    callbacks.isQuiet.mockReturnValue(false);
    const server = links.at(-1)!;
    server.opened();
    expect(server.isClosed).toBe(true);
    expect(connection.isStandIn).toBe(true);
    callbacks.isQuiet.mockReturnValue(true);
    vi.advanceTimersByTime(4000);
    expect(links.at(-1)).not.toBe(server);
  });
});
