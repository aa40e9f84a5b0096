// Rule sets by name.

/** Names of the built-in rule sets on the page. */
export const BUILT_IN_NAMES: Readonly<Record<string, string>> = {
  luxembourg: "Lëtzebuerg",
  horesca: "Horesca",
  wiezen: "Wiezen",
  iwwa: "IWWA",
};

const houseRules = document.getElementById("house-rules")?.textContent;
/** House rules that the page lists, and whether they turn a card up. */
const HOUSE_RULES: Record<string, boolean> = JSON.parse(houseRules || "{}");
/** Built-in rule sets with a turn-up. */
export const TURN_UP_RULES: readonly string[] = ["wiezen", "iwwa"];

/** Names of all rule sets: the built-in ones, and the house rules that the page lists. */
export const RULE_SET_NAMES: Readonly<Record<string, string>> = {
  ...BUILT_IN_NAMES,
  ...Object.fromEntries(Object.keys(HOUSE_RULES).map((id) => [id, id])),
};

/** Whether rules that the page lists turn a card up. */
export const hasTurnUp = (rules: string): boolean =>
  TURN_UP_RULES.includes(rules) || HOUSE_RULES[rules] === true;

export const ruleSetName = (rules: string): string => RULE_SET_NAMES[rules] ?? rules;
