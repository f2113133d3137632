import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/** The sort keys of a page's last record. */
export type PageCursor = { readonly at: Date; readonly id: string };

/** The default size of a page (decisions: payouts). */
export const pageLimitDefault = 20;
/** One page stays well under 1 MiB of JSON. */
export const pageLimitMax = 100;

/** Writes a cursor as the opaque text of the interface. */
export function writeCursor(cursor: PageCursor): string {
  return Buffer.from(`${cursor.at.getTime()}.${cursor.id}`).toString("base64url");
}

const cursorText = /^(\d{1,15})\.([A-Za-z0-9_:.-]{1,128})$/;

/** Reads a cursor; `undefined` where the text is none of ours. */
export function readCursor(text: string): PageCursor | undefined {
  const match = cursorText.exec(Buffer.from(text, "base64url").toString("latin1"));
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  return { at: new Date(Number(match[1])), id: match[2] };
}

/** The size of a page from a requested limit; 0 is the default. */
export function readLimit(limit: number): number | Refused<"INVALID_REQUEST"> {
  if (limit === 0) return pageLimitDefault;
  if (limit >= 1 && limit <= pageLimitMax) return limit;
  return refused("INVALID_REQUEST", `limit: must be between 1 and ${pageLimitMax}`);
}

/** The cursor that a page starts after; `undefined` for the first page. */
export function readStart(cursor: string): PageCursor | undefined | Refused<"INVALID_REQUEST"> {
  if (cursor === "") return undefined;
  return readCursor(cursor) ?? refused("INVALID_REQUEST", "cursor: must be one that a list gave");
}
