// Links to a deal or to a shared table.

/** A deal as text for the address of the page. */
const packed = (record: object): string =>
  btoa(JSON.stringify(record)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Reverses `packed`. Throws if the text is not JSON in Base64. */
export function unpacked(text: string): { rules: string } & Record<string, unknown> {
  return JSON.parse(atob(text.replaceAll("-", "+").replaceAll("_", "/")));
}

/** Returns a link to a deal. The page may be a file, which has no origin. */
export function dealLink(record: object): string {
  const isFile = location.origin === "null" || location.protocol === "file:";
  const page = isFile ? location.href.split(/[?#]/)[0] : location.origin + location.pathname;
  return `${page}#record=${packed(record)}`;
}

/** Returns a link to a shared table, with the token of the server if it needs one. */
export function tableLink(table: string, token?: string | null): string {
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  return `${location.origin}${location.pathname}${query}#table=${table}`;
}

/** Copies a text; false if the browser does not permit it. */
export async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
