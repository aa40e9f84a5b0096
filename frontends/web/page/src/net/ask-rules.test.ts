import { expect, it, vi } from "vitest";

import { links } from "../testing/links";
import { RULES } from "../testing/tables";
import { askRules } from "./ask-rules";

vi.mock("./link", () => import("../testing/links"));

const link = () => links.at(-1)!;

it("asks the server, and closes the link after the answer", () => {
  const answered = vi.fn();
  askRules("luxembourg", answered);
  link().opened();
  expect(link().sent).toEqual([{ type: "rules", rules: "luxembourg" }]);
  link().message(RULES);
  expect(answered).toHaveBeenCalledExactlyOnceWith(RULES);
  expect(link()).toMatchObject({ isLocal: false, isClosed: true });
});

it("asks the library in the page if the server is away, and then gives up", () => {
  const answered = vi.fn();
  askRules("luxembourg", answered);
  link().lost();
  expect(answered).not.toHaveBeenCalled();
  expect(link().isLocal).toBe(true);
  link().lost();
  expect(answered).toHaveBeenCalledExactlyOnceWith(null);
});
