import type { EnumName } from "@disburse/chassis/enum-names.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type {
  Revocation,
  RevokedOrders,
} from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import type { Collection, Document, Filter } from "mongodb";

/** What happens to the orders of a revoked key or a removed member. */
export type Disposition = EnumName<typeof RevokedOrders>;

/**
 * A stop describes what happens to the orders of a key or member that lost its access. The write
 * that revokes the key or removes the member also stores the stop, so a crash loses nothing.
 */
export type Stop = {
  orders: Disposition;
  at: Date;
  actor: StoredActor;
  operation_id: string;
  /** Time of the next run. Absent when the stop is finished. */
  due_at?: Date;
};

/** A key or member that has lost its access, and its stop. */
export type Stopped = { readonly id: string; readonly merchantId: string; readonly stop: Stop };

/**
 * Carries out the remaining steps of a stop. Returns the orders and other records that it found.
 */
export type CarryOut = (stopped: Stopped) => Promise<Omit<Revocation, "$typeName" | "$unknown">>;

export function stopBy(orders: Disposition, { operationId, actor }: Change, now: Date): Stop {
  const stop = { orders, at: now, actor, operation_id: operationId };
  return orders === "keep" ? stop : { ...stop, due_at: now };
}

/**
 * For each choice, the less strict choices that it replaces. For example, a later call can hold
 * orders that the first call kept.
 */
const laxer: Readonly<Record<Disposition, readonly Disposition[]>> = {
  keep: [],
  hold: ["keep"],
  cancel: ["keep", "hold"],
};

/**
 * Stores a stop for a key or member that has lost its access, unless its present stop is at least
 * as strict.
 */
export async function tighten<T extends Document>(
  collection: Collection<T>,
  own: Filter<T>,
  stop: Stop,
): Promise<void> {
  const isLaxer = [{ stop: { $exists: false } }, { "stop.orders": { $in: laxer[stop.orders] } }];
  await collection.updateOne({ $and: [own, { $or: isLaxer }] } as Filter<T>, {
    $set: { stop } as unknown as Partial<T>,
  });
}
