import { describe, expect, it } from "vitest";

import { calls, table } from "../testing/tables";
import type { Table, VisibleAction } from "./messages";
import { dealtHands, positionAt } from "./replay";

const DEAL = "E:A... 2... 3... 4...";

const dealOver = (history: VisibleAction[], changes: Partial<Table> = {}) =>
  table({
    history,
    record: {
      rules: "wiezen",
      dealer: "N",
      deal: DEAL,
      actions: history.map(({ action }) => action),
    },
    ...changes,
  });

const play = (seat: VisibleAction["seat"], action: string): VisibleAction => ({
  seat,
  action,
  phase: "play",
});

describe("dealtHands", () => {
  it("deals clockwise from the first seat, suits in the order of records", () => {
    const hands = dealtHands({ rules: "", dealer: "N", deal: "W:AK.Q.. .T9.8. ..7.6 5..4." });
    expect(hands).toEqual({
      W: ["AS", "KS", "QH"],
      N: ["TH", "9H", "8D"],
      E: ["7D", "6C"],
      S: ["5S", "4D"],
    });
  });
});

describe("positionAt", () => {
  it("moves played cards from the hands to the trick", () => {
    const history = [...calls("E:pass"), play("E", "AS"), play("S", "2S")];
    const { hands, trick, next } = positionAt(dealOver(history), 2);
    expect(hands).toEqual({ E: [], S: ["2S"], W: ["3S"], N: ["4S"] });
    expect(trick).toEqual([{ seat: "E", card: "AS" }]);
    expect(next).toEqual(play("S", "2S"));
  });

  it("starts a new trick after four cards", () => {
    const history = [play("E", "AS"), play("S", "2S"), play("W", "3S"), play("N", "4S")];
    expect(positionAt(dealOver(history), 4).trick).toHaveLength(4);
    const longer = [...history, play("E", "5S")];
    expect(positionAt(dealOver(longer), 5).trick).toEqual([{ seat: "E", card: "5S" }]);
  });

  it("shows the card that another seat laid aside", () => {
    const history: VisibleAction[] = [{ seat: "W", action: "-", phase: "discard" }];
    const over = dealOver(history);
    over.record!.actions = ["3S"];
    expect(positionAt(over, 1).hands.W).toEqual([]);
  });

  describe("with an exchange", () => {
    const ask: VisibleAction = { seat: "N", action: "AS", phase: "exchange" };
    const answer = (action: string): VisibleAction => ({ seat: "E", action, phase: "answer" });

    it("exchanges the card for the turn-up once its holder gives it", () => {
      const over = dealOver([ask, answer("give")], { turn_up: "4S" });
      expect(positionAt(over, 1).hands).toMatchObject({ N: ["4S"], E: ["AS"] });
      expect(positionAt(over, 2).hands).toMatchObject({ N: ["AS"], E: ["4S"] });
    });

    it("exchanges nothing if the holder refuses", () => {
      const over = dealOver([ask, answer("refuse")], { turn_up: "4S" });
      expect(positionAt(over, 2).hands).toMatchObject({ N: ["4S"], E: ["AS"] });
    });

    it("exchanges at once if nobody has to answer", () => {
      const over = dealOver([ask, play("E", "4S")], { turn_up: "4S" });
      expect(positionAt(over, 1).hands).toMatchObject({ N: ["AS"], E: ["4S"] });
    });
  });
});
