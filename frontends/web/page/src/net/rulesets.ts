// Rule sets by name.

/** Names of the built-in rule sets on the page. */
export const BUILT_IN_NAMES: Readonly<Record<string, string>> = {
  luxembourg: "Lëtzebuerg",
  horesca: "Horesca",
  wiezen: "Wiezen",
  iwwa: "IWWA",
};

const houseRules = document.getElementById("house-rules")?.textContent;

/** Names of all rule sets: the built-in ones, and the house rules that the page lists. */
export const RULE_SET_NAMES: Readonly<Record<string, string>> = {
  ...BUILT_IN_NAMES,
  ...Object.fromEntries((JSON.parse(houseRules || "[]") as string[]).map((id) => [id, id])),
};

export const ruleSetName = (rules: string): string => RULE_SET_NAMES[rules] ?? rules;
