import { type Refused, refused } from "@disburse/kernel/refusal.ts";

/**
 * Where a merchant's feed of events goes on. Positions count from 1 and are given when the feed is
 * read, so that an event that becomes visible late comes late and is never behind a cursor.
 */

const cursorText = /^([\x21-\x7e]{1,128})\/(\d{1,15})$/;

/** Writes the position that was read last as opaque text: of this merchant's feed alone. */
export function writeFeedCursor(merchantId: string, position: number): string {
  return Buffer.from(`${merchantId}/${position}`).toString("base64url");
}

/** The position behind which to read: 0 is the beginning. */
export function readFeedCursor(
  merchantId: string,
  text: string,
): number | Refused<"INVALID_REQUEST"> {
  if (text === "") return 0;
  const match = cursorText.exec(Buffer.from(text, "base64url").toString("latin1"));
  const position = Number(match?.[2]);
  const isOurs = match?.[1] === merchantId && writeFeedCursor(merchantId, position) === text;
  return isOurs ? position : foreignCursor();
}

/** The refusal of a cursor that this feed never gave: to guess would be to leave events out. */
export function foreignCursor(): Refused<"INVALID_REQUEST"> {
  return refused("INVALID_REQUEST", "after: must be the next_cursor of an answer before");
}
