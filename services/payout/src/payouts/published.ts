import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import type { PageRange } from "@disburse/chassis/paging/page.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { PayoutDocument, Payouts } from "./document.ts";

/** Returns the payout's id from an event's id. For example, `evt_x_2` is an event of `po_x`. */
function payoutIdOfEvent(event: string): string {
  return `po_${event.slice("evt_".length, event.lastIndexOf("_"))}`;
}

/**
 * Lists payouts by the time of their last published event, with their published versions. `from` is
 * inclusive and `to` is exclusive.
 */
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
    id,
    merchantId,
    createdAt,
    publishedAt: rest.published_at ?? createdAt,
    versions: versionsOf(id, rest),
  }));
}

/** Returns the versions whose events are published. Versions start at 1 and have no gaps. */
function versionsOf(id: string, { version, outbox }: Pick<PayoutDocument, "version" | "outbox">) {
  const pending = new Set(outbox.map((event) => event.id));
  const all = Array.from({ length: version }, (_each, at) => at + 1);
  return all.filter((each) => !pending.has(eventId(id, each)));
}

/** Returns published events as messages for the bus. Omits unpublished events. */
export async function republished(
  payouts: Payouts,
  eventIds: readonly string[],
): Promise<BusMessage[]> {
  const ids = [...new Set(eventIds.map(payoutIdOfEvent))];
  const found = await payouts.find({ _id: { $in: ids } }).toArray();
  return found.flatMap((document) => {
    const wanted = (document.published_events ?? []).filter(({ id }) => eventIds.includes(id));
    return wanted.map(({ id, key, body }) => {
      return { id, key, body: body.value(), origin: originOf(document) };
    });
  });
}
