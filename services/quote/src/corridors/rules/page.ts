import { findCurrency } from "@disburse/kernel/currency.ts";
import { invalidCursor, type Refused } from "@disburse/kernel/refusal.ts";

/** The last pair of a page. Corridors are sorted by pair. */
export type PairCursor = { readonly source: string; readonly destination: string };

export function writePairCursor({ source, destination }: PairCursor): string {
  return Buffer.from(`${source}.${destination}`).toString("base64url");
}

/** Returns `undefined` for the first page. */
export function readPairStart(text: string): PairCursor | undefined | Refused<"INVALID_REQUEST"> {
  if (text === "") return undefined;
  const [source = "", destination = "", ...more] = Buffer.from(text, "base64url")
    .toString("latin1")
    .split(".");
  const isPair = [source, destination].every((code) => findCurrency(code) !== undefined);
  return isPair && more.length === 0 ? { source, destination } : invalidCursor;
}

/** The position after the last rate of a page. */
export type RateCursor = {
  readonly asOf: Date;
  readonly receivedAt: Date;
  /** Breaks ties between rates with equal times. */
  readonly operationId: string;
};

const rateCursorText = /^(\d{1,15}) (\d{1,15}) ([\x21-\x7e]{1,128})$/;

export function writeRateCursor({ asOf, receivedAt, operationId }: RateCursor): string {
  const text = `${asOf.getTime()} ${receivedAt.getTime()} ${operationId}`;
  return Buffer.from(text).toString("base64url");
}

/** Returns `undefined` for the first page, which starts at the latest rate. */
export function readRateStart(text: string): RateCursor | undefined | Refused<"INVALID_REQUEST"> {
  if (text === "") return undefined;
  const match = rateCursorText.exec(Buffer.from(text, "base64url").toString("latin1"));
  if (match === null) return invalidCursor;
  const [, asOf, receivedAt, operationId = ""] = match;
  return { asOf: new Date(Number(asOf)), receivedAt: new Date(Number(receivedAt)), operationId };
}
