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

/** Whether the page was opened with an address that only this machine can open. */
export const isLocalAddress = (): boolean =>
  /^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);

/**
 * Returns the address of a shared table, with the token of the server if it needs one. `server` is
 * the address of the server for others, if the server knows one.
 */
export function tableUrl(table: string, server?: string | null, token?: string | null): string {
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  const page = server && isLocalAddress() ? server : location.origin + location.pathname;
  return `${page}${query}#table=${table}`;
}

/** Copies a text to the clipboard. Returns false if the browser does not permit it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyWithoutPermission(text);
  }
}

/** Copies a text where the clipboard is closed to the page: under an address without encryption. */
function copyWithoutPermission(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  // In the open dialog if there is one: what is outside it cannot be selected.
  (document.querySelector("dialog[open]") ?? document.body).append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  return isCopied;
}
