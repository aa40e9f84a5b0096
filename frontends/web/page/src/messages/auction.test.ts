import { describe, expect, it } from "vitest";

import { calls } from "../testing/tables";
import { replayAuction } from "./auction";

const meanings = (text: string) => replayAuction(calls(text)).meanings;

describe("replayAuction", () => {
  it("takes the first call in a suit for a proposal and the second for going along", () => {
    expect(meanings("N:8S E:8H S:8S W:8H")).toEqual(["ask", "ask", "along", "along"]);
  });

  it("takes a higher call of a partner in the suit of the pair for a raise", () => {
    expect(meanings("N:8S E:pass S:8S W:8H N:9S")).toEqual([
      "ask",
      "call",
      "along",
      "ask",
      "raise",
    ]);
  });

  it("takes a call in the suit of a pair by a third seat for a proposal", () => {
    expect(meanings("N:8S E:8S S:9S")).toEqual(["ask", "along", "ask"]);
  });

  it("forgets the proposal of a seat that passes, and keeps it while the seat waits", () => {
    expect(meanings("N:8S E:pass S:pass W:pass N:pass E:8S").at(-1)).toBe("ask");
    expect(meanings("N:8S E:pass S:pass W:pass N:wait E:8S").at(-1)).toBe("along");
  });

  it("gives actions after the auction no meaning", () => {
    const lead = { seat: "N", action: "8S", phase: "play" } as const;
    expect(replayAuction([...calls("N:8S"), lead]).meanings).toEqual(["ask", "call"]);
  });
});
