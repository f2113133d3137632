import { findCurrency } from "@disburse/kernel/currency.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";

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
  if (isPair && more.length === 0) return { source, destination };
  return refused("INVALID_REQUEST", "cursor: must be one that a list gave");
}
