import {
  afterCursor,
  countMax,
  countUpToMax,
  createdWithin,
  oldestFirst,
  type PageCursor,
} from "@disburse/chassis/paging/page.ts";
import type { Collection, Filter } from "mongodb";
import type { DeliveryDocument } from "../deliveries/documents.ts";
import { isSubscribed } from "../endpoints/rules/event-filter.ts";
import { testTransactionType } from "../events/rules/webhook-body.ts";
import type { ReplayTerms } from "./rules/replay.ts";

/**
 * The terms of a replay and its merchant. An original is a delivery that the replay sends again.
 */
export type Originals = ReplayTerms & { readonly merchantId: string };

/** A page of originals. */
export type OriginalsPage = {
  readonly originals: readonly DeliveryDocument[];
  /** The last delivery that was read, which is not always an original. */
  readonly last: DeliveryDocument | undefined;
  readonly isLast: boolean;
};

/**
 * Maximum deliveries that one page reads to find those of the chosen types. No index has the types,
 * so rare ones need several pages.
 */
const readMax = 500;

/**
 * Returns at most `rate` originals of a replay after the cursor, oldest first. Skips redeliveries
 * and test events.
 */
export async function readOriginals(
  deliveries: Collection<DeliveryDocument>,
  of: Originals,
  after: PageCursor | undefined,
): Promise<OriginalsPage> {
  const limit = of.eventTypes.length === 0 ? of.rate : readMax;
  const options = { projection: { attempts: 0 }, hint: "originals" };
  const found = await deliveries
    .find(afterCursor(originalFilter(of), after, oldestFirst), options)
    .sort(oldestFirst)
    .limit(limit)
    .toArray();
  const chosen = found.filter((each) => isChosen(of, each));
  const originals = chosen.slice(0, of.rate);
  // Those beyond the rate belong to the next page.
  const last = chosen.length > of.rate ? originals.at(-1) : found.at(-1);
  return { originals, last, isLast: found.length < limit && chosen.length <= of.rate };
}

/** The number of originals, counted in the first 10,000 deliveries of the period. */
export type OriginalsCount = { readonly total: number; readonly isCapped: boolean };

export async function countOriginals(
  deliveries: Collection<DeliveryDocument>,
  of: Originals,
): Promise<OriginalsCount> {
  const options = { hint: "originals" };
  if (of.eventTypes.length === 0) {
    const count = await countUpToMax(deliveries, originalFilter(of), options);
    return { total: Math.min(count, countMax), isCapped: count > countMax };
  }
  const kind = { transaction_type: "$transaction_type", status: "$status" };
  const kinds = await deliveries
    .aggregate<{ _id: Pick<DeliveryDocument, "transaction_type" | "status">; count: number }>(
      [
        { $match: originalFilter(of) },
        { $sort: oldestFirst },
        { $limit: countMax + 1 },
        { $group: { _id: kind, count: { $sum: 1 } } },
      ],
      options,
    )
    .toArray();
  const sum = (counted: typeof kinds) => counted.reduce((all, { count }) => all + count, 0);
  const total = Math.min(sum(kinds.filter(({ _id }) => isChosen(of, _id))), countMax);
  return { total, isCapped: sum(kinds) > countMax };
}

function isChosen(
  { eventTypes }: ReplayTerms,
  {
    transaction_type: transactionType,
    status,
  }: Pick<DeliveryDocument, "transaction_type" | "status">,
): boolean {
  return eventTypes.length === 0 || isSubscribed({ eventTypes }, { transactionType, status });
}

function originalFilter(of: Originals): Filter<DeliveryDocument> {
  const { merchantId, endpointId, since, until, states } = of;
  return {
    merchant_id: merchantId,
    endpoint_id: endpointId,
    state: { $in: [...states] },
    replay: 0,
    transaction_type: { $ne: testTransactionType },
    ...createdWithin(since, until),
  };
}
