import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readStart, writeCursor } from "@disburse/chassis/paging/cursor.ts";
import { cutPageBy } from "@disburse/chassis/paging/record-page.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { orThrow } from "../refusals.ts";
import type { PayoutStore } from "./store.ts";

type PublishedRpc = Pick<
  ServiceImpl<typeof PayoutOperationsService>,
  "listPublishedPayouts" | "republishPayoutEvents"
>;

/** For services, not for people: a page is small without the payouts' contents. */
const pageMax = 500;
/** Of about 1 KiB each. */
const eventsMax = 100;

/** What was published, for whoever has to know that nothing of it was lost. */
export function publishedRpc({ payouts }: { readonly payouts: PayoutStore }): PublishedRpc {
  return {
    listPublishedPayouts: async ({ from, to, limit: asked, cursor }) => {
      const limit = orThrow(readPageLimit(asked));
      const after = orThrow(readStart(cursor));
      if (from === undefined || to === undefined) {
        return orThrow(refused("INVALID_REQUEST", "from, to: are required"));
      }
      const span = { from: timestampDate(from), to: timestampDate(to) };
      const found = await payouts.listPublished(span, { after, limit: limit + 1 });
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
      const isAsked = eventIds.length >= 1 && eventIds.length <= eventsMax;
      if (!isAsked || eventIds.some((id) => id.length > 128)) {
        orThrow(refused("INVALID_REQUEST", `event_ids: must be 1 to ${eventsMax} ids`));
      }
      const found = await payouts.republished(eventIds);
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
