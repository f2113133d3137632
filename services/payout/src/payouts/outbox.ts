import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import type { PageRange } from "@disburse/chassis/paging/page.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { PayoutCounts } from "./counts.ts";
import {
  type PayoutDocument,
  type Payouts,
  type PublishedEvent,
  pendingEvent,
  type StoredStep,
  toPayout,
} from "./document.ts";

/**
 * Pending events of payouts; a published one stays, to be published again where it was lost. The
 * write that marks events also removes their changes of status, which are counted before it.
 */
export function payoutOutbox(payouts: Payouts, counts: PayoutCounts, clock: Clock): Outbox {
  let read: { readonly at: number; readonly carrying: readonly Carrying[] } = {
    at: 0,
    carrying: [],
  };
  return {
    due: async (limit) => {
      const at = performance.now();
      const carrying = await payouts
        .find({ "outbox.at": { $gt: new Date(0) } })
        .project<Carrying>({ outbox: 1, request_id: 1, merchant_id: 1, untallied: 1 })
        .sort({ "outbox.at": 1 })
        .limit(limit)
        .toArray();
      read = { at, carrying };
      return carrying.flatMap(({ outbox, request_id: requestId }) =>
        outbox.map(({ id, key, body }) => ({
          ...{ id, key, body: body.value() },
          ...(requestId === undefined ? {} : { requestId }),
        })),
      );
    },
    published: async (messages) => {
      const published = new Set(messages.map(({ id }) => id));
      const now = clock.now();
      const byMerchant = Map.groupBy(read.carrying, (each) => each.merchant_id);
      // Side by side: a batch of many merchants' events would wait for each of their counts.
      const marked = [...byMerchant].map(async ([merchantId, of]) => {
        const changes = of
          .flatMap(({ untallied }) => untallied)
          .filter(({ id }) => published.has(id));
        const isCounted = await counts.add(merchantId, changes, read.at);
        const events = of.flatMap(({ outbox }) => outbox).filter(({ id }) => published.has(id));
        await Promise.all(events.map((each) => markPublished(payouts, each, isCounted, now)));
      });
      await Promise.all(marked);
    },
  };
}

type Carrying = Pick<PayoutDocument, "_id" | "merchant_id" | "request_id" | "outbox" | "untallied">;

/** An event that another relay has marked stays as it is. */
function markPublished(
  payouts: Payouts,
  { id, key, body }: PublishedEvent,
  isCounted: boolean,
  now: Date,
) {
  return payouts.updateOne(
    { _id: payoutIdOfEvent(id), "outbox.id": id },
    {
      $pull: { outbox: { id }, ...(isCounted && { untallied: { id } }) },
      $push: { told: { id, key, body } },
      $max: { published_at: now },
    },
  );
}

/** `evt_x_2` is an event of `po_x`. */
function payoutIdOfEvent(event: string): string {
  return `po_${event.slice("evt_".length, event.lastIndexOf("_"))}`;
}

/** Payouts whose last event was published from `from` until before `to`, with their versions. */
export async function listPublished(
  payouts: Payouts,
  { from, to }: { readonly from: Date; readonly to: Date },
  { after, limit }: PageRange,
) {
  const start = after === undefined || after.at < from ? from : after.at;
  const found = await payouts
    .find(
      {
        published_at: { $gte: start, $lt: to },
        ...(after && { $or: [{ published_at: { $gt: after.at } }, { _id: { $gt: after.id } }] }),
      },
      {
        projection: { merchant_id: 1, created_at: 1, published_at: 1, version: 1, "outbox.id": 1 },
        hint: "published",
      },
    )
    .sort({ published_at: 1, _id: 1 })
    .limit(limit)
    .toArray();
  return found.map(({ _id: id, merchant_id: merchantId, created_at: createdAt, ...rest }) => ({
    ...{ id, merchantId, createdAt },
    publishedAt: rest.published_at ?? createdAt,
    versions: versionsOf(id, rest),
  }));
}

/** Versions are numbered from 1 without gap; those of pending events are not published yet. */
function versionsOf(id: string, { version, outbox }: Pick<PayoutDocument, "version" | "outbox">) {
  const pending = new Set(outbox.map((event) => event.id));
  const all = Array.from({ length: version }, (_each, at) => at + 1);
  return all.filter((each) => !pending.has(eventId(id, each)));
}

/** Published events as the bus has them; others are left out. */
export async function republished(
  payouts: Payouts,
  eventIds: readonly string[],
): Promise<BusMessage[]> {
  const ids = [...new Set(eventIds.map(payoutIdOfEvent))];
  const found = await payouts.find({ _id: { $in: ids } }).toArray();
  return found.flatMap((document) => {
    const { _id: id, request_id: requestId } = document;
    return versionsOf(id, document).flatMap((version) => {
      const isWanted = eventIds.includes(eventId(id, version));
      const event = isWanted ? publishedEvent(document, version) : undefined;
      if (event === undefined) return [];
      const message = { id: event.id, key: event.key, body: event.body.value() };
      return [requestId === undefined ? message : { ...message, requestId }];
    });
  });
}

/** The event of a version; rebuilt where it was not kept and its state is still known. */
function publishedEvent(document: PayoutDocument, version: number): PublishedEvent | undefined {
  const id = eventId(document._id, version);
  const kept = document.told?.find((event) => event.id === id);
  const step = document.journal.find((each) => each.version === version);
  return kept ?? (step && rebuiltEvent(document, step));
}

/** The first version is of a queued payout; of the later ones only the present one is known. */
function rebuiltEvent(document: PayoutDocument, { version, at: updatedAt }: StoredStep) {
  const payout = toPayout(document);
  if (version === 1) {
    return pendingEvent({ ...payout, version, updatedAt, progress: { stage: "queued" } });
  }
  return version === payout.version ? pendingEvent({ ...payout, updatedAt }) : undefined;
}
