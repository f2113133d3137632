import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import type { PageRange } from "@disburse/chassis/paging/page.ts";
import { eventId } from "@disburse/kernel/id.ts";
import {
  type PayoutDocument,
  type Payouts,
  type PublishedEvent,
  type StoredStep,
  toPayout,
} from "./document.ts";
import { pendingEvent } from "./pending-event.ts";

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
  const start = new Date(Math.max(from.getTime(), after?.at.getTime() ?? 0));
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
    const { _id: id } = document;
    return versionsOf(id, document).flatMap((version) => {
      const isWanted = eventIds.includes(eventId(id, version));
      const event = isWanted ? publishedEvent(document, version) : undefined;
      if (event === undefined) return [];
      const message = { id: event.id, key: event.key, body: event.body.value() };
      return [{ ...message, origin: originOf(document) }];
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

/** The first version is of a payout that is new; of the later ones only the present is known. */
function rebuiltEvent(document: PayoutDocument, { version, at: updatedAt }: StoredStep) {
  const payout = toPayout(document);
  if (version === 1) {
    const isWaiting = document.journal[0]?.stage === "awaiting_approval";
    const stage = isWaiting ? "awaiting_approval" : "queued";
    const first = { progress: { stage }, expectedAt: undefined } as const;
    return pendingEvent({ ...payout, version, updatedAt, ...first });
  }
  return version === payout.version ? pendingEvent({ ...payout, updatedAt }) : undefined;
}
