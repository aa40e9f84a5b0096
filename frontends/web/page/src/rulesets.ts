/** Names of the built-in rule sets on the page. */
export const BUILT_IN: Readonly<Record<string, string>> = { luxembourg: "Lëtzebuerg", horesca: "Horesca", wiezen: "Wiezen", iwwa: "IWWA" };
