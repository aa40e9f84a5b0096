import { describe, expect, it, vi } from "vitest";

import { saved } from "./storage";

const seat = (table: string) => ({ table, key: `key of ${table}`, name: "Anna" });

describe("saved", () => {
  it("adds the default to settings that an earlier version stored", () => {
    localStorage.setItem("troel-settings", JSON.stringify({ speed: 3 }));
    expect(saved.settings()).toMatchObject({ speed: 3, practice: true, bots: ["", "", ""] });
  });

  it("returns the defaults where the storage is damaged or forbidden", () => {
    localStorage.setItem("troel-settings", "{");
    expect(saved.settings().speed).toBe(1);
    vi.stubGlobal("localStorage", undefined);
    saved.storeSettings({ ...saved.settings(), speed: 3 });
    expect(saved.settings().speed).toBe(1);
  });

  it("keeps the shared seat in this window only", () => {
    saved.storeSharedSeat(seat("a"));
    expect(saved.sharedSeat()).toEqual(seat("a"));
    expect(localStorage.getItem("troel-shared")).toBeNull();
  });

  it("has no shared seat if a part of it is missing", () => {
    sessionStorage.setItem("troel-shared", JSON.stringify({ table: "a", name: "Anna" }));
    expect(saved.sharedSeat()).toBeNull();
  });

  it("keeps the keys of the last ten tables", () => {
    for (let table = 0; table < 11; table++) saved.storeKey(seat(`${table}`));
    expect(saved.key("0")).toBeUndefined();
    expect(saved.key("1")).toBe("key of 1");
    saved.storeKey(seat("1"));
    saved.storeKey(seat("11"));
    expect(saved.key("1")).toBe("key of 1");
    expect(saved.key("2")).toBeUndefined();
  });
});
