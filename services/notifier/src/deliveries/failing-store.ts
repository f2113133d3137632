import type { DeliveryDocument } from "./documents.ts";
import type { DeliveryStore } from "./store.ts";

/** The fields of a delivery that decide whether later deliveries under its ordering key wait. */
export type Predecessor = Pick<
  DeliveryDocument,
  "_id" | "line" | "sequence" | "state" | "attempts_count"
>;

/** A delivery whose attempts all got status 410. */
type Gone = Pick<DeliveryDocument, "_id" | "merchant_id" | "endpoint_id" | "updated_at">;
const goneFields = { merchant_id: 1, endpoint_id: 1, updated_at: 1 };

/** The deliveries of endpoints that fail or were paused. */
export type FailingStore = ReturnType<typeof openFailingStore>;

export function openFailingStore({ collection: deliveries }: Pick<DeliveryStore, "collection">) {
  return {
    /** Returns an endpoint's due deliveries that have an earlier attempt, oldest first. */
    dueRetries: (endpointId: string, limit: number, now: Date): Promise<DeliveryDocument[]> =>
      deliveries
        .find(
          {
            state: "pending",
            attempts_count: { $gte: 1 },
            endpoint_id: endpointId,
            due_at: { $lte: now },
          },
          { projection: { attempts: 0 }, hint: "retries" },
        )
        .sort({ due_at: 1 })
        .limit(limit)
        .toArray(),

    /** Returns the deliveries that later ones under these ordering keys wait for. */
    predecessors: (lines: readonly string[]): Promise<Predecessor[]> =>
      deliveries
        .find<Predecessor>(
          { line: { $in: [...lines] }, replay: 0, state: "pending" },
          { projection: { line: 1, sequence: 1, state: 1, attempts_count: 1 } },
        )
        .toArray(),

    /**
     * Holds deliveries until the given time. Skips deliveries that have changed since they were
     * read.
     */
    hold: async (due: readonly DeliveryDocument[], now: Date, until: Date): Promise<void> => {
      if (due.length === 0) return;
      const waits = { held: true, due_at: until, next_attempt_at: until };
      await deliveries.updateMany(
        {
          _id: { $in: due.map(({ _id }) => _id) },
          state: "pending",
          lease: null,
          due_at: { $lte: now },
        },
        { $set: waits },
      );
    },

    /** Returns deliveries whose attempts all got status 410. */
    gone: (limit: number): Promise<Gone[]> =>
      deliveries
        .find<Gone>({ gone: true }, { projection: goneFields, hint: "gone" })
        .limit(limit)
        .toArray(),

    /** Removes the `gone` marks of deliveries, after their endpoint was paused or resumed. */
    forgetGone: async (ids: readonly string[]): Promise<void> => {
      await deliveries.updateMany({ _id: { $in: [...ids] } }, { $unset: { gone: "" } });
    },
  };
}
