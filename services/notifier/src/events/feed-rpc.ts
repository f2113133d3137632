import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { readLimit } from "@disburse/chassis/paging/cursor.ts";
import {
  type EventRecord,
  EventRecordSchema,
  type NotifierService,
} from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { orThrow } from "../refusals.ts";
import { readFeed } from "./feed.ts";
import type { FedEvent, FeedStore } from "./feed-store.ts";
import { readFeedCursor, writeFeedCursor } from "./rules/feed-cursor.ts";

export type FeedDeps = { readonly feeds: FeedStore };

/** The RPC of a merchant's feed. */
export function feedRpc({
  feeds,
}: FeedDeps): Pick<ServiceImpl<typeof NotifierService>, "listEvents"> {
  return {
    listEvents: async ({ merchantId, limit: asked, after: cursor }) => {
      const limit = orThrow(readLimit(asked));
      const after = orThrow(readFeedCursor(merchantId, cursor));
      const { events, hasMore } = orThrow(await readFeed(feeds, { merchantId, after, limit }));
      const last = events.at(-1)?.position ?? after;
      return {
        events: events.map(eventMessage),
        nextCursor: writeFeedCursor(merchantId, last),
        hasMore,
      };
    },
  };
}

function eventMessage(event: FedEvent): EventRecord {
  return create(EventRecordSchema, {
    eventId: event.event_id,
    transactionType: event.transaction_type,
    transactionId: event.transaction_id,
    status: event.status,
    sequence: BigInt(event.sequence),
    body: event.body.value(),
    occurredAt: timestampFromDate(event.occurred_at),
    receivedAt: timestampFromDate(event.received_at),
  });
}
