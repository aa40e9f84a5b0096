// Addresses of the page that lead to a deal or to a shared table.

/** Returns a record in URL-safe Base64. */
const packRecord = (record: object): string =>
  btoa(JSON.stringify(record)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Reverses `packRecord`. Throws if the text is not JSON in Base64. */
export const unpackRecord = (text: string): unknown =>
  JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));

/** Returns the address of this page with a hash. The page may be a file, which has no origin. */
export function pageUrl(hash: string): string {
  const isFile = location.origin === "null" || location.protocol === "file:";
  const page = isFile ? location.href.split(/[?#]/)[0] : location.origin + location.pathname;
  return `${page}#${hash}`;
}

/** Returns the address of a deal. */
export const dealUrl = (record: object): string => pageUrl(`record=${packRecord(record)}`);

/** Returns the address of the daily deal of a date. */
export const dailyUrl = (date: string, rules: string): string =>
  pageUrl(`daily=${date}&rules=${encodeURIComponent(rules)}`);

/** Returns the address of a shared table, with the token of the server if it needs one. */
export function tableUrl(table: string, token?: string | null): string {
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  return `${location.origin}${location.pathname}${query}#table=${table}`;
}

/** Copies a text to the clipboard. Returns false if the browser does not permit it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
