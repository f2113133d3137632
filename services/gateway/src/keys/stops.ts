import type { WordOf } from "@disburse/chassis/enum-words.ts";
import type { Change, StoredActor } from "@disburse/chassis/rpc/mutation.ts";
import type {
  Revocation,
  RevokedOrders,
} from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import type { Collection, Document, Filter } from "mongodb";

/** The choice for the orders of a revoked key or a removed member. */
export type Disposition = WordOf<typeof RevokedOrders>;

/** Stored in the write that revokes a key or removes a member, so that a crash loses none of it. */
export type Stop = {
  orders: Disposition;
  at: Date;
  actor: StoredActor;
  operation_id: string;
  /** When it is carried out, or once more; absent when nothing is left to do. */
  due_at?: Date;
};

/** A key or member that may do nothing any more. */
export type Stopped = { readonly id: string; readonly merchantId: string; readonly stop: Stop };

/** Carries a stop out as far as it is not, and returns what it found. */
export type CarryOut = (stopped: Stopped) => Promise<Omit<Revocation, "$typeName" | "$unknown">>;

/** The stop that an operation requests. */
export function stopBy(orders: Disposition, { operationId, actor }: Change, now: Date): Stop {
  const stop = { orders, at: now, actor, operation_id: operationId };
  return orders === "keep" ? stop : { ...stop, due_at: now };
}

/** A later call can be stricter than the first: orders that were kept can still be held. */
const laxer: Readonly<Record<Disposition, readonly Disposition[]>> = {
  keep: [],
  hold: ["keep"],
  cancel: ["keep", "hold"],
};

/** Makes the stop of what has ended stricter, where this one is. */
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
