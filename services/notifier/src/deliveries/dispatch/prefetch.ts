import type { DeliveryDocument } from "../documents.ts";
import { decoded, type EncodedDelivery, type WorkStore } from "./work-store.ts";

/** A read brings at least so many: the command costs more than these documents. */
const readMin = 16;
/** What is kept in all: so many, of so many bytes; the rest is read in its turn. */
const keptMax = 4_096;
const keptBytesMax = 32 * 1_024 * 1_024;
/** What was read longer ago is read again. */
const keptMs = 5_000;

/** Encoded, they are one piece of memory that the collector need not walk through and move. */
type Page = {
  readonly readAtMs: number;
  readonly merchantId: string | undefined;
  readonly deliveries: EncodedDelivery[];
};

export type Prefetch = ReturnType<typeof createPrefetch>;

/**
 * Due deliveries of endpoints that have more of them than may start now, read before it is their
 * turn. They are leased by nobody, so each may have become something else by then: taking one finds
 * out. Forgotten, it is due like any other.
 */
export function createPrefetch(work: Pick<WorkStore, "due">, elapsed: () => number) {
  /** In the order in which they were read. */
  const pages = new Map<string, Page>();
  let kept = 0;
  let keptBytes = 0;

  const count = (deliveries: readonly EncodedDelivery[], by: 1 | -1): void => {
    kept += by * deliveries.length;
    keptBytes += by * deliveries.reduce((sum, { length }) => sum + length, 0);
  };
  const drop = (endpointId: string): void => {
    count(pages.get(endpointId)?.deliveries ?? [], -1);
    pages.delete(endpointId);
  };
  const dropOld = (): void => {
    for (const [endpointId, { readAtMs }] of pages) {
      if (readAtMs + keptMs > elapsed()) return;
      drop(endpointId);
    }
  };

  return {
    /**
     * Reads what is due of an endpoint, where nothing of it is left. Answers whether there is
     * nothing behind what is there now.
     */
    fill: async (endpointId: string, wanted: number, now: Date): Promise<boolean> => {
      dropOld();
      if (pages.has(endpointId)) return false;
      const limit = Math.max(wanted, readMin);
      const readAtMs = elapsed();
      const deliveries = [...(await work.due(endpointId, limit, now))];
      const [first] = deliveries;
      const merchantId = first === undefined ? undefined : decoded(first).merchant_id;
      pages.set(endpointId, { readAtMs, merchantId, deliveries });
      count(deliveries, 1);
      return deliveries.length < limit;
    },

    /** Whose endpoint it is, as long as something of it is here. */
    merchantOf: (endpointId: string): string | undefined => pages.get(endpointId)?.merchantId,

    /** The next ones, oldest first, which are gone from here; answers whether any is left. */
    take: (endpointId: string, wanted: number) => {
      const page = pages.get(endpointId);
      if (page === undefined) return { next: [], isEmpty: true };
      const taken = page.deliveries.splice(0, wanted);
      count(taken, -1);
      const next: readonly DeliveryDocument[] = taken.map(decoded);
      const isEmpty = page.deliveries.length === 0;
      if (isEmpty || kept > keptMax || keptBytes > keptBytesMax) drop(endpointId);
      return { next, isEmpty };
    },
  };
}
