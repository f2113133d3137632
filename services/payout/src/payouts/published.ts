import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import type { PageRange } from "@disburse/chassis/paging/page.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { PayoutDocument, Payouts } from "./document.ts";

export type PublishedPayout = {
  readonly id: string;
  readonly merchantId: string;
  readonly createdAt: Date;
  readonly publishedAt: Date;
  /** The versions whose events are published, ascending. */
  readonly versions: readonly number[];
};

export type PublishedSpan = { readonly from: Date; readonly to: Date };

/** The published events of one collection. */
export type PublishedEvents = {
  /** Lists its records by the time of their last published event. */
  readonly list: (span: PublishedSpan, range: PageRange) => Promise<readonly PublishedPayout[]>;
  /** Returns published events as messages for the bus. */
  readonly again: (eventIds: readonly string[]) => Promise<readonly BusMessage[]>;
};

export function publishedPayouts(payouts: Payouts): PublishedEvents {
  return {
    list: (span, range) => listPublished(payouts, span, range),
    again: (eventIds) => republished(payouts, eventIds),
  };
}

/** Joins collections that may contain the same payout. */
export function joinedPublished(sources: readonly PublishedEvents[]): PublishedEvents {
  return {
    list: async (span, range) => {
      const pages = await Promise.all(sources.map(({ list }) => list(span, range)));
      const rows = [...Map.groupBy(pages.flat(), placeOf).values()];
      return rows.map(joined).toSorted(comparePlaces).slice(0, range.limit);
    },
    again: async (eventIds) => {
      const found = await Promise.all(sources.map(({ again }) => again(eventIds)));
      return found.flat();
    },
  };
}

/** A payout of two collections has one row if its places are equal, so that no page divides it. */
function joined(rows: readonly PublishedPayout[]): PublishedPayout {
  const [first] = rows;
  if (first === undefined) throw new Error("a place in the list has no payout");
  const versions = rows.flatMap((each) => each.versions);
  return { ...first, versions: versions.toSorted((one, other) => one - other) };
}

const placeOf = ({ publishedAt, id }: PublishedPayout) => `${publishedAt.getTime()} ${id}`;

function comparePlaces(one: PublishedPayout, other: PublishedPayout): number {
  const byTime = one.publishedAt.getTime() - other.publishedAt.getTime();
  return byTime !== 0 ? byTime : one.id < other.id ? -1 : 1;
}

/** Returns the payout's id from an event's id. For example, `evt_x_2` is an event of `po_x`. */
function payoutIdOfEvent(event: string): string {
  return `po_${event.slice("evt_".length, event.lastIndexOf("_"))}`;
}

/** Selects records by the time of their last published event, from a place in the list on. */
export function publishedIn({ from, to }: PublishedSpan, after: PageRange["after"]) {
  const start = new Date(Math.max(from.getTime(), after?.at.getTime() ?? 0));
  const later = after && [{ published_at: { $gt: after.at } }, { _id: { $gt: after.id } }];
  return { published_at: { $gte: start, $lt: to }, ...(later && { $or: later }) };
}

/**
 * Lists payouts by the time of their last published event, with their published versions. `from` is
 * inclusive and `to` is exclusive.
 */
export async function listPublished(
  payouts: Payouts,
  span: PublishedSpan,
  { after, limit }: PageRange,
): Promise<PublishedPayout[]> {
  const state = { version: 1, "outbox.id": 1, "order.waited": 1 };
  const projection = { merchant_id: 1, created_at: 1, published_at: 1, ...state };
  const found = await payouts
    .find(publishedIn(span, after), { projection, hint: "published" })
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

/**
 * Returns the versions whose events are published. They have no gaps, and begin with 1, or with 2 if
 * the payout has waited: the record of the wait has the first.
 */
function versionsOf(
  id: string,
  { version, outbox, order }: Pick<PayoutDocument, "version" | "outbox" | "order">,
) {
  const pending = new Set(outbox.map((event) => event.id));
  const first = order?.waited === undefined ? 1 : 2;
  const all = Array.from({ length: version - first + 1 }, (_each, at) => at + first);
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
