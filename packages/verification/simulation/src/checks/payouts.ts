import type { MemoryDatabase } from "../store/memory-database.ts";
import type { Document } from "../store/value.ts";

/** A document of their collection where it is a payout: an order of which none was made is not. */
export function made(document: Document | undefined): Document | undefined {
  return document?.status === undefined ? undefined : document;
}

/** The payouts that were made, with what was ordered among their fields. */
export function payoutsIn(database: MemoryDatabase): Document[] {
  return database.documents("payouts").flatMap((document) => {
    if (made(document) === undefined) return [];
    const order = document.order as Document;
    return [{ ...(order.details as Document), ...order, ...document }];
  });
}
