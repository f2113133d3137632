import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { Payouts } from "./document.ts";
import { listPublished, republished } from "./outbox.ts";

type PublishedRpc = Pick<
  ServiceImpl<typeof PayoutOperationsService>,
  "listPublishedPayouts" | "republishPayoutEvents"
>;

/** Larger than a page for people: it has no content of payouts. */
const pageMax = 500;
/** Of about 1 KiB each. */
const eventsMax = 100;

/** The RPCs that tell a subscriber which events were published, and give them again. */
export function publishedRpc(payouts: Payouts): PublishedRpc {
  return {
    listPublishedPayouts: async ({ from, to, limit: given, cursor }) => {
      const limit = orThrow(readPageLimit(given));
      const after = orThrow(readStart(cursor));
      if (from === undefined || to === undefined) {
        return orThrow(refused("INVALID_REQUEST", "from, to: are required"));
      }
      const span = { from: timestampDate(from), to: timestampDate(to) };
      const found = await listPublished(payouts, span, { after, limit: limit + 1 });
      const { shown, nextCursor } = cutPageBy(found, limit, ({ publishedAt: at, id }) =>
        writeCursor({ at, id }),
      );
      const messages = shown.map(({ id: payoutId, merchantId, versions, ...times }) => ({
        ...{ payoutId, merchantId, versions: [...versions] },
        createdAt: timestampFromDate(times.createdAt),
        publishedAt: timestampFromDate(times.publishedAt),
      }));
      return { payouts: messages, nextCursor };
    },

    republishPayoutEvents: async ({ eventIds }) => {
      const isSized = eventIds.length >= 1 && eventIds.length <= eventsMax;
      if (!isSized || eventIds.some((id) => id.length > 128)) {
        orThrow(refused("INVALID_REQUEST", `event_ids: must be 1 to ${eventsMax} ids`));
      }
      const found = await republished(payouts, eventIds);
      const events = found.map(({ id: eventId, key: routingKey, body, requestId = "" }) => ({
        ...{ eventId, routingKey, body, requestId },
      }));
      return { events };
    },
  };
}

function readPageLimit(limit: number): number | Refused<"INVALID_REQUEST"> {
  if (limit === 0) return pageMax;
  if (limit >= 1 && limit <= pageMax) return limit;
  return refused("INVALID_REQUEST", `limit: must be between 1 and ${pageMax}`);
}
