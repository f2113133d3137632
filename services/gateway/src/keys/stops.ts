import type { EnumName } from "@disburse/chassis/enum-names.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type {
  Revocation,
  RevokedOrders,
} from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import type { Collection, Document, Filter } from "mongodb";

/** Choice for the orders of a revoked key or a removed member. */
export type Disposition = EnumName<typeof RevokedOrders>;

/** Stored in the write that revokes a key or removes a member, so that a crash loses nothing. */
export type Stop = {
  orders: Disposition;
  at: Date;
  actor: StoredActor;
  operation_id: string;
  /** Time of the next run; absent once it is finished. */
  due_at?: Date;
};

/** A key or member that lost its access. */
export type Stopped = { readonly id: string; readonly merchantId: string; readonly stop: Stop };

/** Performs the remaining steps of a stop and returns what it found. */
export type CarryOut = (stopped: Stopped) => Promise<Omit<Revocation, "$typeName" | "$unknown">>;

export function stopBy(orders: Disposition, { operationId, actor }: Change, now: Date): Stop {
  const stop = { orders, at: now, actor, operation_id: operationId };
  return orders === "keep" ? stop : { ...stop, due_at: now };
}

/** A later call may be stricter than the first: kept orders can still be held. */
const laxer: Readonly<Record<Disposition, readonly Disposition[]>> = {
  keep: [],
  hold: ["keep"],
  cancel: ["keep", "hold"],
};

/** Replaces a laxer stop of an ended key or member. */
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
