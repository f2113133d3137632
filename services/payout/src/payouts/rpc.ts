import { create } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  countedTotal,
  countUpToMax,
  createdWithin,
  cutPage,
  findPage,
  readLimit,
  readPage,
  readStart,
  writeCursor,
} from "@disburse/chassis/paging/page.ts";
import { valueOfWord, wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { PayoutOperationsService } from "@disburse/contracts/disburse/payout/v1/payout_operations_pb.ts";
import {
  type ListPayoutsRequest,
  PayoutCause,
  PayoutEventSchema,
  type PayoutService,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { PayoutCounts } from "./counts.ts";
import { type PayoutDocument, type Payouts, toPayout } from "./document.ts";
import { listPublished, republished } from "./outbox.ts";
import { type TimelineEvent, timelineOf } from "./rules/timeline.ts";
import { findPayout } from "./store.ts";
import { payoutMessage } from "./wire.ts";

/** The RPCs that read a merchant's payouts. */
export function payoutsRpc(payouts: Payouts, counts: PayoutCounts) {
  return {
    getPayout: async ({ merchantId, payoutId }) => {
      const payout = await findPayout(payouts, payoutId, { merchant_id: merchantId });
      return { payout: payoutMessage(orThrow(payout ?? refused("RECORD_NOT_FOUND"))) };
    },

    listPayouts: async (message) => {
      const filter = readFilter(message);
      const { merchantId } = message;
      const own = { ...filter, merchant_id: merchantId };
      const total = async () =>
        isCountKept(filter)
          ? { totalCount: BigInt(await counts.total(merchantId, filter.status)) }
          : countedTotal(await countUpToMax(payouts, own));
      const [{ shown, nextCursor }, counted] = await Promise.all([
        findPage(payouts, own, message, { projection: withoutHistory }),
        total(),
      ]);
      const messages = shown.map((found) => payoutMessage(toPayout(found)));
      return { payouts: messages, nextCursor, ...counted };
    },

    listPayoutEvents: async ({ merchantId, payoutId, ...page }) => {
      const own = { _id: payoutId, merchant_id: merchantId };
      const found = await payouts.findOne(own, { projection: { journal: 1 } });
      const events = timelineOf(orThrow(found ?? refused("RECORD_NOT_FOUND")).journal);
      const numbered = events.map((event, at) => ({ event, number: at + 1 }));
      const { shown, nextCursor } = await readPage(
        page,
        // Events are append-only, so their numbers do not change.
        async ({ after, limit }) =>
          numbered.filter(({ number }) => number > Number(after?.id ?? 0)).slice(0, limit),
        ({ event, number }) => ({ at: event.at, id: String(number) }),
      );
      const messages = shown.map(({ event }) => eventMessage(event));
      return { events: messages, nextCursor, ...countedTotal(events.length) };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutService>>;
}

/** What makes a payout's document large, and what a list does not show. */
const withoutHistory = { journal: 0, calls: 0, outbox: 0, told: 0, untallied: 0, resolutions: 0 };

/** The conditions of a list, as documents have them; all that are given must hold. */
export type PayoutFilter = Partial<
  Pick<
    PayoutDocument,
    "status" | "beneficiary_id" | "reference_id" | "quote_id" | "source" | "destination"
  >
> &
  ReturnType<typeof createdWithin>;

/** The filter of a request: a field that was not sent is no condition. */
function readFilter(message: ListPayoutsRequest): PayoutFilter {
  const { createdFrom: from, createdTo: to } = message;
  const status = wordOf(PayoutStatus, message.status);
  const fields = {
    beneficiary_id: message.beneficiaryId,
    reference_id: message.referenceId,
    quote_id: message.quoteId,
    source: message.sourceCurrencyCode,
    destination: message.destinationCurrencyCode,
  };
  return {
    ...(status && { status }),
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== "")),
    ...createdWithin(from && timestampDate(from), to && timestampDate(to)),
  };
}

/** Whether the count of a filter is kept: none, or `status` alone. */
function isCountKept(filter: PayoutFilter): boolean {
  return Object.keys(filter).every((name) => name === "status");
}

function eventMessage({ status, subStatus, cause, version, at }: TimelineEvent) {
  return create(PayoutEventSchema, {
    status: valueOfWord(PayoutStatus, status),
    subStatus: valueOfWord(PayoutSubStatus, subStatus),
    cause: valueOfWord(PayoutCause, cause),
    version,
    createdAt: timestampFromDate(at),
  });
}

/** Larger than a page for people: it has no content of payouts. */
const pageMax = 500;
/** Of about 1 KiB each. */
const eventsMax = 100;

/** The RPCs that tell a subscriber which events were published, and give them again. */
export function publishedRpc(payouts: Payouts) {
  return {
    listPublishedPayouts: async ({ from, to, limit: given, cursor }) => {
      const limit = orThrow(readLimit(given, pageMax, pageMax));
      const after = orThrow(readStart(cursor));
      if (from === undefined || to === undefined) {
        return orThrow(refused("INVALID_REQUEST", "from, to: are required"));
      }
      const span = { from: timestampDate(from), to: timestampDate(to) };
      const found = await listPublished(payouts, span, { after, limit: limit + 1 });
      const { shown, nextCursor } = cutPage(found, limit, ({ publishedAt: at, id }) =>
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
  } satisfies Partial<ServiceImpl<typeof PayoutOperationsService>>;
}
