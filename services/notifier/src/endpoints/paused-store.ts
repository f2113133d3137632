import type { Filter } from "mongodb";
import { type EndpointDocument, toRecipient, withoutHistory } from "./documents.ts";
import type { Recipient } from "./rules/endpoint.ts";
import type { EndpointStore } from "./store.ts";

export type PausedStore = ReturnType<typeof openPausedStore>;

const byNotifier: Filter<EndpointDocument> = {
  paused_for: { $in: ["gone", "unresponsive"] },
  deleted_at: null,
};

export function openPausedStore({ collection: endpoints }: Pick<EndpointStore, "collection">) {
  return {
    /** Returns the endpoints of a merchant, at most 16. */
    activeOf: async (merchantId: string): Promise<readonly Recipient[]> => {
      const found = await endpoints
        .find({ merchant_id: merchantId, deleted_at: null }, { projection: withoutHistory })
        .toArray();
      return found.map(toRecipient);
    },

    /** Returns the endpoints that the notifier itself has paused since the given time. */
    pausedSince: async (from: Date): Promise<readonly Recipient[]> => {
      const paused = { ...byNotifier, paused_at: { $gte: from } };
      const found = await endpoints
        .find(paused, { projection: withoutHistory, hint: "paused_for" })
        .toArray();
      return found.map(toRecipient);
    },

    /**
     * Counts the merchants without a live endpoint that have an endpoint which the notifier paused.
     */
    countUnreachable: async (): Promise<number> => {
      const paused = await endpoints
        .find(byNotifier, { projection: { merchant_id: 1 }, hint: "paused_for" })
        .toArray();
      const merchants = [...new Set(paused.map(({ merchant_id }) => merchant_id))];
      if (merchants.length === 0) return 0;
      const live = await endpoints
        .find(
          {
            merchant_id: { $in: merchants },
            deleted_at: null,
            paused_at: null,
            verified_at: { $ne: null },
          },
          { projection: { merchant_id: 1 } },
        )
        .toArray();
      return merchants.length - new Set(live.map(({ merchant_id }) => merchant_id)).size;
    },
  };
}
