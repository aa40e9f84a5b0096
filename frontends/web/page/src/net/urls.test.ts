import { describe, expect, it, vi } from "vitest";

import { dealUrl, tableUrl, unpackRecord } from "./urls";

const RECORD = { rules: "wiezen", dealer: "N", deal: "N:~~~ ??? >>>", turn_up: "4S" };

describe("dealUrl", () => {
  it("packs a record without characters that addresses escape", () => {
    const [page, text] = dealUrl(RECORD).split("#record=");
    expect(page).toBe("http://localhost/");
    expect(text).toMatch(/^[\w-]+$/);
    expect(unpackRecord(text)).toEqual(RECORD);
  });

  it("leads to the file where the page is one", () => {
    vi.stubGlobal("location", { origin: "null", href: "file:///troel.html?lang=en#x" });
    expect(dealUrl(RECORD)).toMatch(/^file:\/\/\/troel\.html#record=/);
  });
});

describe("tableUrl", () => {
  it("has the token that the server asks for", () => {
    expect(tableUrl("secret")).toBe("http://localhost/#table=secret");
    expect(tableUrl("secret", null, "a&b")).toBe("http://localhost/?token=a%26b#table=secret");
  });

  it("has the address of the server for others", () => {
    const server = "http://192.168.1.5:7200/";
    expect(tableUrl("secret", server, "ab")).toBe(`${server}?token=ab#table=secret`);
  });
});
