import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";

/**
 * Returns the document if it is a payout. Returns `undefined` for a scheduled payout that has none
 * yet.
 */
export function asPayout(document: Document | undefined): Document | undefined {
  return document?.status === undefined ? undefined : document;
}

/** Returns the created payouts, merged with their orders' fields. */
export function payoutsIn(database: MemoryDatabase): Document[] {
  return database.documents("payouts").flatMap((document) => {
    if (asPayout(document) === undefined) return [];
    const order = document.order as Document;
    return [{ ...(order.details as Document), ...order, ...document }];
  });
}
