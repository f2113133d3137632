import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Collection } from "mongodb";
import {
  type PayoutDocument,
  type PublishedEvent,
  pendingEvent,
  type StoredStep,
  toPayout,
} from "./document.ts";
import type { PayoutPage } from "./list.ts";
import { payoutIdOfEvent } from "./outbox.ts";

/** A span of time: `from` is in it, `to` is not. */
export type Span = { readonly from: Date; readonly to: Date };

/** A payout, and which of its versions are published. */
export type PublishedPayout = {
  readonly id: string;
  readonly merchantId: string;
  readonly createdAt: Date;
  readonly publishedAt: Date;
  readonly versions: readonly number[];
};

/** Payouts whose last event was published in a span, those published first. */
export async function listPublished(
  payouts: Collection<PayoutDocument>,
  { from, to }: Span,
  { after, limit }: PayoutPage,
): Promise<PublishedPayout[]> {
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

/** A payout counts its versions from 1 without gap; those that it owes are not published yet. */
function versionsOf(
  id: string,
  { version, outbox }: Pick<PayoutDocument, "version" | "outbox">,
): number[] {
  const owed = new Set(outbox.map((event) => event.id));
  const all = Array.from({ length: version }, (_each, at) => at + 1);
  return all.filter((each) => !owed.has(eventId(id, each)));
}

/** Published events as the bus was given them; of the others nothing. */
export async function republished(
  payouts: Collection<PayoutDocument>,
  eventIds: readonly string[],
): Promise<BusMessage[]> {
  const ids = [...new Set(eventIds.map(payoutIdOfEvent))];
  const found = await payouts.find({ _id: { $in: ids } }).toArray();
  return found.flatMap((document) => {
    const { _id: id, request_id: requestId } = document;
    return versionsOf(id, document).flatMap((version) => {
      const asked = eventIds.includes(eventId(id, version));
      const event = asked ? publishedEvent(document, version) : undefined;
      if (event === undefined) return [];
      const message = { id: event.id, key: event.key, body: event.body.value() };
      return [requestId === undefined ? message : { ...message, requestId }];
    });
  });
}

/** What was told of a version; made anew where that was not kept and can still be known. */
function publishedEvent(document: PayoutDocument, version: number): PublishedEvent | undefined {
  const id = eventId(document._id, version);
  const kept = document.told?.find((event) => event.id === id);
  const step = document.journal.find((each) => each.version === version);
  return kept ?? (step && rebuiltEvent(document, step));
}

/** The first version tells of a queued payout; of those after it only the present one is known. */
function rebuiltEvent(
  document: PayoutDocument,
  { version, at: updatedAt }: StoredStep,
): PublishedEvent | undefined {
  const payout = toPayout(document);
  if (version === 1) {
    return pendingEvent({ ...payout, version, updatedAt, progress: { stage: "queued" } });
  }
  return version === payout.version ? pendingEvent({ ...payout, updatedAt }) : undefined;
}
