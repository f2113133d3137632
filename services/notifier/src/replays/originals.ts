import {
  afterCursor,
  countUpToMax,
  createdWithin,
  oldestFirst,
  type PageCursor,
} from "@disburse/chassis/paging/page.ts";
import type { Collection, Filter } from "mongodb";
import type { DeliveryDocument } from "../deliveries/documents.ts";
import { testTransactionType } from "../events/rules/webhook-body.ts";
import type { ReplayTerms } from "./rules/replay.ts";

/**
 * The terms of a replay and its merchant. An original is a delivery that the replay sends again.
 */
export type Originals = ReplayTerms & { readonly merchantId: string };

/**
 * Returns the originals of a replay after the cursor, oldest first. Skips redeliveries and test
 * events.
 */
export function readOriginals(
  deliveries: Collection<DeliveryDocument>,
  of: Originals,
  after: PageCursor | undefined,
  limit: number,
): Promise<DeliveryDocument[]> {
  const options = { projection: { attempts: 0 }, hint: "originals" };
  return deliveries
    .find(afterCursor(originalFilter(of), after, oldestFirst), options)
    .sort(oldestFirst)
    .limit(limit)
    .toArray();
}

/** Counts the originals. Counting stops at `countMax` plus one. */
export function countOriginals(deliveries: Collection<DeliveryDocument>, of: Originals) {
  return countUpToMax(deliveries, originalFilter(of), { hint: "originals" });
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
