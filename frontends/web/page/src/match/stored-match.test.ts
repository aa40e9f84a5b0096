import { describe, expect, it, vi } from "vitest";

import { newMatch } from "./match";
import { StoredMatch } from "./stored-match";

const match = (seed: number) => newMatch({ rules: "luxembourg", seed }, ["", "", ""]);

describe("StoredMatch", () => {
  it("reads the match that another window wrote", () => {
    expect(new StoredMatch().read()).toBeNull();
    new StoredMatch().write(match(1));
    expect(new StoredMatch().read()).toMatchObject({ seed: 1 });
  });

  it.each(["{", "null", "[]", '{"rules":"luxembourg","seat":"S","seed":1}'])(
    "does not know what %s is",
    (text) => {
      localStorage.setItem("troel-match", text);
      expect(new StoredMatch().read()).toBe("unknown");
    },
  );

  it("is foreign once another window has gone on with it", () => {
    const [first, second] = [new StoredMatch(), new StoredMatch()];
    first.write(match(1));
    expect(first.isForeign).toBe(false);
    expect(second.isForeign).toBe(true);
    second.read();
    expect(second.isForeign).toBe(false);
    second.write(match(2));
    expect(first.isForeign).toBe(true);
    first.giveUp();
    expect(first.isForeign).toBe(false);
  });

  it("stays known if it cannot be written", () => {
    const stored = new StoredMatch();
    stored.write(match(1));
    vi.spyOn(localStorage, "setItem").mockImplementation(() => {
      throw new Error("the storage is full");
    });
    stored.write(match(2));
    expect(stored.isForeign).toBe(false);
    expect(stored.read()).toMatchObject({ seed: 1 });
  });
});
