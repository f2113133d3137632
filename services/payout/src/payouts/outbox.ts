import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type AnyBulkWriteOperation, Binary, type Collection } from "mongodb";
import type { PayoutDocument } from "./document.ts";

/**
 * The owed events of payouts. When the bus has one it is owed no more, and stays as told: were it
 * lost on its way, it can be told again byte for byte. A payout has three of them at most.
 */
export function payoutOutbox(payouts: Collection<PayoutDocument>, clock: Clock): Outbox {
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
      const now = clock.now();
      await payouts.bulkWrite(
        messages.map((message) => markPublished(message, now)),
        { ordered: false },
      );
    },
  };
}

/** One that another relay was first to strike off is left as it is. */
function markPublished(
  { id, key, body }: BusMessage,
  now: Date,
): AnyBulkWriteOperation<PayoutDocument> {
  return {
    updateOne: {
      filter: { _id: payoutIdOfEvent(id), "outbox.id": id },
      update: {
        $pull: { outbox: { id } },
        $push: { told: { id, key, body: new Binary(body) } },
        $max: { published_at: now },
      },
    },
  };
}

/** `evt_x_2` is an event of `po_x`. */
export function payoutIdOfEvent(event: string): string {
  return `po_${event.slice("evt_".length, event.lastIndexOf("_"))}`;
}
