import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import {
  countedTotal,
  cutPage,
  readLimit,
  readPage,
  readStart,
  writeCursor,
} from "@disburse/chassis/paging/page.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { PayoutOperatorService } from "@disburse/contracts/disburse/payout/v1/payout_operator_pb.ts";
import {
  PayoutCause,
  PayoutEventSchema,
  type PayoutService,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { PayoutCounts } from "@disburse/ledger/accounts.ts";
import type { PayoutDocument, Payouts } from "./document.ts";
import { listPayouts } from "./list.ts";
import type { PublishedEvents } from "./published.ts";
import { visibleFailure } from "./rules/failure.ts";
import { type TimelineEvent, timelineOf, waitingBegan } from "./rules/timeline.ts";
import { findPayout } from "./store.ts";
import { payoutMessage } from "./wire.ts";

/** The names of the lists in their cursors. */
export const eventList = "payout_events";
const publishedList = "published_payouts";

export function payoutsRpc(payouts: Payouts, counts: PayoutCounts) {
  return {
    getPayout: async ({ merchantId, payoutId }) => {
      const payout = await findPayout(payouts, payoutId, { merchant_id: merchantId });
      return { payout: payoutMessage(orThrow(payout ?? refused("RECORD_NOT_FOUND"))) };
    },

    listPayouts: (message) => listPayouts(payouts, counts, message),

    listPayoutEvents: async ({ merchantId, payoutId, ...page }) => {
      const own = { _id: payoutId, merchant_id: merchantId };
      const links = { reissue_of: 1, reissued_as: 1 };
      const projection = { journal: 1, progress: 1, "order.waited": 1, ...links };
      const found = await payouts.findOne(own, { projection });
      const document = orThrow(found ?? refused("RECORD_NOT_FOUND"));
      const { waited } = document.order;
      const begun = waited === undefined ? [] : [waitingBegan(waited.since)];
      const events = [...begun, ...timelineOf(document.journal)];
      const numbered = events.map((event, at) => ({ event, number: at + 1 }));
      const { shown, nextCursor } = await readPage(
        eventList,
        page,
        // Events are only appended, so their numbers don't change.
        async ({ after, limit }) =>
          numbered.filter(({ number }) => number > Number(after?.id ?? 0)).slice(0, limit),
        ({ event, number }) => ({ at: event.at, id: String(number) }),
      );
      const messages = shown.map(({ event }) => eventMessage(event, document));
      return { events: messages, nextCursor, ...countedTotal(events.length) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

type Shown = Pick<PayoutDocument, "progress" | "reissue_of" | "reissued_as">;

/** Only the event of the failure contains the reason. */
function eventMessage(
  { status, subStatus, cause, version, at }: TimelineEvent,
  { progress, reissue_of: reissueOf = "", reissued_as: reissuedAs = "" }: Shown,
) {
  const { failureCode, failureMessage, railCode } = visibleFailure(progress);
  return create(PayoutEventSchema, {
    ...(status === "failed" && { failureCode, failureMessage, railCode }),
    ...(cause === "executed" && { reissueOf }),
    ...(cause === "reissued" && { reissuedAs }),
    status: enumValue(PayoutStatus, status),
    subStatus: enumValue(PayoutSubStatus, subStatus),
    cause: enumValue(PayoutCause, cause),
    version,
    createdAt: timestampFromDate(at),
  });
}

/**
 * The maximum page size. It exceeds that of other lists, because the page contains no payout data.
 */
const pageMax = 500;
/** The maximum number of events in a response. Each event is about 1 KiB. */
const eventsMax = 100;

/** Lets a subscriber list published events and publish them again. */
export function publishedRpc(published: PublishedEvents) {
  return {
    listPublishedPayouts: async ({ from, to, limit: given, cursor }) => {
      const limit = orThrow(readLimit(given, pageMax, pageMax));
      const after = orThrow(readStart(publishedList, cursor));
      if (from === undefined || to === undefined) {
        return orThrow(refused("INVALID_REQUEST", "from, to: are required"));
      }
      const span = { from: timestampDate(from), to: timestampDate(to) };
      const found = await published.list(span, { after, limit: limit + 1 });
      const { shown, nextCursor } = cutPage(found, limit, ({ publishedAt: at, id }) =>
        writeCursor(publishedList, { at, id }),
      );
      const messages = shown.map(({ id: payoutId, merchantId, versions, ...times }) => ({
        payoutId,
        merchantId,
        versions: [...versions],
        createdAt: timestampFromDate(times.createdAt),
        publishedAt: timestampFromDate(times.publishedAt),
      }));
      return { payouts: messages, nextCursor };
    },

    republishPayoutEvents: async ({ eventIds }) => {
      const isSized = eventIds.length >= 1 && eventIds.length <= eventsMax;
      if (!isSized || eventIds.some((id) => id.length > 128)) {
        orThrow(refused("INVALID_REQUEST", `event_ids: must contain 1 to ${eventsMax} ids`));
      }
      const found = await published.again(eventIds);
      const events = found.map(({ id: eventId, key: routingKey, body, origin }) => ({
        eventId,
        routingKey,
        body,
        requestId: origin?.request_id ?? "",
      }));
      return { events };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOperatorService>>;
}
