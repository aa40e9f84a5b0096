import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Table } from "../messages/messages";
import { table } from "../testing/tables";
import { TableQueue } from "./table-queue";

const SLOW = 0;
const AT_ONCE = 3;

function queueWith(speed: number) {
  const callbacks = {
    speed: () => speed,
    replaced: vi.fn(),
    emptied: vi.fn(),
    redraw: vi.fn(),
  };
  return { queue: new TableQueue(callbacks), callbacks };
}

const step = (number: number, changes: Partial<Table> = {}) =>
  table({ calls: number, turn: "W", ...changes });

describe("TableQueue", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("shows the first table at once", () => {
    const { queue, callbacks } = queueWith(SLOW);
    const first = table();
    queue.push(first);
    expect(queue.table).toBe(first);
    expect(queue.isBusy).toBe(false);
    expect(callbacks.replaced).toHaveBeenCalledWith(null, first);
    expect(callbacks.emptied).toHaveBeenCalledOnce();
  });

  it("pauses before the action of a bot", () => {
    const { queue } = queueWith(SLOW);
    const [first, second] = [step(0), step(1)];
    queue.push(first);
    queue.push(second);
    vi.advanceTimersByTime(999);
    expect(queue.table).toBe(first);
    vi.advanceTimersByTime(1);
    expect(queue.table).toBe(second);
  });

  it("leaves a full trick on the table, then moves it to the winner", () => {
    const { queue, callbacks } = queueWith(SLOW);
    const tricks = { N: 0, E: 1, S: 0, W: 0 };
    queue.push(table());
    queue.push(table({ tricks, last_trick: [{ seat: "E", card: "AS" }] }));
    queue.push(table({ tricks, calls: 1 }));
    expect(queue.fullTrick).toMatchObject({ winner: "E", isLeaving: false });
    vi.advanceTimersByTime(2200);
    expect(queue.fullTrick).toMatchObject({ winner: "E", isLeaving: true });
    expect(callbacks.emptied).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(300);
    expect(queue.fullTrick).toBeNull();
    expect(queue.table?.calls).toBe(1);
    expect(callbacks.emptied).toHaveBeenCalledTimes(2);
  });

  it("moves no trick to its winner at the highest speed", () => {
    const { queue } = queueWith(AT_ONCE);
    queue.push(table());
    queue.push(table({ tricks: { N: 0, E: 1, S: 0, W: 0 } }));
    vi.advanceTimersByTime(449);
    expect(queue.fullTrick?.isLeaving).toBe(false);
    vi.advanceTimersByTime(2);
    expect(queue.fullTrick).toBeNull();
  });

  it("has no full trick when a new deal has fewer or more tricks", () => {
    const { queue } = queueWith(AT_ONCE);
    queue.push(table());
    queue.push(table({ deal: 1, tricks: { N: 1, E: 0, S: 0, W: 0 } }));
    expect(queue.fullTrick).toBeNull();
  });

  it("skips the pause after a trick, but not the pause of a bot", () => {
    const { queue } = queueWith(SLOW);
    queue.push(table());
    queue.push(table({ tricks: { N: 1, E: 0, S: 0, W: 0 } }));
    queue.skipTrickPause();
    expect(queue.fullTrick?.isLeaving).toBe(true);
    queue.clear();
    queue.push(step(0));
    queue.push(step(1));
    queue.skipTrickPause();
    expect(queue.table?.calls).toBe(0);
  });

  it("keeps the table on the screen when it stops, and drops the waiting ones", () => {
    const { queue } = queueWith(SLOW);
    const first = step(0);
    queue.push(first);
    queue.push(step(1));
    queue.stop();
    vi.runAllTimers();
    expect(queue.table).toBe(first);
    expect(queue.isBusy).toBe(false);
  });
});
