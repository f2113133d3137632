import { findCurrency } from "@disburse/kernel/currency.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";

const notOurs = refused("INVALID_REQUEST", "cursor: must be one that a list gave");

/** Where a page of corridors ended: the pair of its last one. Corridors are listed by pair. */
export type PairCursor = { readonly source: string; readonly destination: string };

/** Writes a cursor as the opaque text of the interface. */
export function writePairCursor({ source, destination }: PairCursor): string {
  return Buffer.from(`${source}.${destination}`).toString("base64url");
}

/** Where a page starts: `undefined` is the first pair. */
export function readPairStart(text: string): PairCursor | undefined | Refused<"INVALID_REQUEST"> {
  if (text === "") return undefined;
  const [source = "", destination = "", ...more] = Buffer.from(text, "base64url")
    .toString("latin1")
    .split(".");
  const isPair = [source, destination].every((code) => findCurrency(code) !== undefined);
  return isPair && more.length === 0 ? { source, destination } : notOurs;
}

/** Where a page of a corridor's rates ended. */
export type RateCursor = {
  readonly asOf: Date;
  readonly receivedAt: Date;
  /** Tells apart those of the same times. */
  readonly operationId: string;
};

const rateCursorText = /^(\d{1,15}) (\d{1,15}) ([\x21-\x7e]{1,128})$/;

/** Writes a cursor as the opaque text of the interface. */
export function writeRateCursor({ asOf, receivedAt, operationId }: RateCursor): string {
  const text = `${asOf.getTime()} ${receivedAt.getTime()} ${operationId}`;
  return Buffer.from(text).toString("base64url");
}

/** Where a page starts: `undefined` is the latest rate. */
export function readRateStart(text: string): RateCursor | undefined | Refused<"INVALID_REQUEST"> {
  if (text === "") return undefined;
  const match = rateCursorText.exec(Buffer.from(text, "base64url").toString("latin1"));
  if (match === null) return notOurs;
  const [, asOf, receivedAt, operationId = ""] = match;
  return { asOf: new Date(Number(asOf)), receivedAt: new Date(Number(receivedAt)), operationId };
}
