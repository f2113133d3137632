import type { Change } from "@disburse/chassis/rpc/mutation.ts";
import type { Collection, UpdateFilter } from "mongodb";
import { type DeliveryDocument, redelivery } from "./documents.ts";
import { insertNew } from "./insert.ts";

/** A delivery to send again, and the operation that requests this. */
export type Redelivery = { readonly source: DeliveryDocument; readonly change: Change };

/**
 * Maximum tries to find a free number. Two concurrent redeliveries may choose the same number, and
 * a second try gives them different ones.
 */
const numberTries = 5;

/**
 * Creates redeliveries for one merchant. If an operation is repeated, it doesn't create a second
 * redelivery.
 */
export async function makeRedeliveries(
  deliveries: Collection<DeliveryDocument>,
  redeliveries: readonly Redelivery[],
  now: Date,
): Promise<void> {
  let left = redeliveries;
  for (let tries = 0; ; tries += 1) {
    const completed = await completedOperations(deliveries, left);
    left = left.filter(({ change }) => !completed.has(change.operationId));
    if (left.length === 0) return;
    if (tries === numberTries)
      throw new Error("every attempt to insert a redelivery found its number taken");
    const last = await lastNumbers(deliveries, left);
    const documents = left.map(({ source, change }) =>
      redelivery(source, (last.get(numberOf(source)) ?? 0) + 1, now, change),
    );
    const taken = await insertNew(deliveries, documents);
    left = left.filter((_each, at) => taken.has(at));
  }
}

/** Operations that a delivery remembers. A repeat of an older one brings an attempt forward again. */
const forwardsKept = 100;

/**
 * Brings the next attempts of pending deliveries forward. Skips a delivery whose attempt is running
 * or due, so that no two attempts run at once. Also skips one that waits for an earlier event, so
 * that it keeps its place in the order.
 */
export async function bringForward(
  deliveries: Collection<DeliveryDocument>,
  forwards: readonly Redelivery[],
  now: Date,
): Promise<void> {
  if (forwards.length === 0) return;
  await deliveries.bulkWrite(
    forwards.map(({ source: { _id, line }, change: { operationId } }) => {
      const waits = { state: "pending", held: false, lease: null, due_at: { $gt: now } } as const;
      const update: UpdateFilter<DeliveryDocument> = {
        $set: { due_at: now, next_attempt_at: now, updated_at: now },
        $inc: { forwarded_count: 1 },
        $push: { forwarded_by: { $each: [operationId], $slice: -forwardsKept } },
      };
      const filter = { _id, line, ...waits, forwarded_by: { $ne: operationId } };
      return { updateOne: { filter, update } };
    }),
    { ordered: false },
  );
}

/** Returns those of the operations that have already created their redelivery. */
async function completedOperations(
  deliveries: Collection<DeliveryDocument>,
  redeliveries: readonly Redelivery[],
): Promise<ReadonlySet<string>> {
  const [first] = redeliveries;
  if (first === undefined) return new Set();
  const operations = redeliveries.map(({ change }) => change.operationId);
  const found = await deliveries
    .find(
      { merchant_id: first.source.merchant_id, operation_id: { $in: operations } },
      { projection: { operation_id: 1 }, hint: "operation" },
    )
    .toArray();
  return new Set(found.flatMap(({ operation_id }) => operation_id ?? []));
}

/** Returns the highest redelivery number for the event of each source. */
async function lastNumbers(
  deliveries: Collection<DeliveryDocument>,
  redeliveries: readonly Redelivery[],
): Promise<ReadonlyMap<string, number>> {
  const sources = redeliveries.map(({ source }) => source);
  const among = <K extends keyof DeliveryDocument>(key: K) => ({
    $in: [...new Set(sources.map((source) => source[key]))],
  });
  const found = await deliveries
    .aggregate<{ _id: Pick<DeliveryDocument, "line" | "event_id">; last: number }>(
      [
        { $match: { line: among("line"), sequence: among("sequence") } },
        { $group: { _id: { line: "$line", event_id: "$event_id" }, last: { $max: "$replay" } } },
      ],
      { hint: "line" },
    )
    .toArray();
  return new Map(found.map(({ _id, last }) => [numberOf(_id), last]));
}

/**
 * Returns the key under which redeliveries are numbered. The deliveries of an event to one endpoint
 * share their numbering.
 */
function numberOf({ line, event_id }: Pick<DeliveryDocument, "line" | "event_id">): string {
  return JSON.stringify([line, event_id]);
}
