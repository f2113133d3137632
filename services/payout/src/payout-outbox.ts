import type { Outbox } from "@disburse/chassis/outbox-relay.ts";
import type { Collection } from "mongodb";
import type { PayoutDocument } from "./payout-documents.ts";

/** The owed events of payouts; they leave their document when the bus has them. */
export function payoutOutbox(payouts: Collection<PayoutDocument>): Outbox {
  return {
    due: async (limit) => {
      const found = await payouts
        .find({ "outbox.at": { $gt: new Date(0) } }, { projection: { outbox: 1, request_id: 1 } })
        .sort({ "outbox.at": 1 })
        .limit(limit)
        .toArray();
      return found.flatMap(({ outbox, request_id: requestId }) =>
        outbox.map(({ id, key, body }) => ({
          ...{ id, key, body: body.value() },
          ...(requestId === undefined ? {} : { requestId }),
        })),
      );
    },
    published: async (messages) => {
      const ids = messages.map(({ id }) => id);
      const updates = messages.map(({ id }) => ({
        updateOne: {
          filter: { _id: payoutIdOfEvent(id) },
          update: { $pull: { outbox: { id: { $in: ids } } } },
        },
      }));
      await payouts.bulkWrite(updates, { ordered: false });
    },
  };
}

/** `evt_x_2` is an event of `po_x`. */
function payoutIdOfEvent(event: string): string {
  return `po_${event.slice("evt_".length, event.lastIndexOf("_"))}`;
}
