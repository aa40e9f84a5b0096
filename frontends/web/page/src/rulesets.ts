/** Names of the built-in rule sets on the page. */
export const BUILT_IN: Readonly<Record<string, string>> =
  { luxembourg: "Lëtzebuerg", horesca: "Horesca", wiezen: "Wiezen", iwwa: "IWWA" };

/** Names of all rule sets: the built-in ones, and the house rules that the page lists. */
export const RULES: Record<string, string> = { ...BUILT_IN };
const houseRules = document.getElementById("house-rules")?.textContent;
for (const house of JSON.parse(houseRules || "[]") as string[]) RULES[house] = house;

export const nameOfRules = (rules: string): string => RULES[rules] ?? rules;
