import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readMutation } from "@disburse/chassis/rpc/mutation.ts";
import { orThrow } from "@disburse/chassis/rpc/refusal.ts";
import type { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { refused } from "@disburse/kernel/refusal.ts";
import type { Collection, Filter } from "mongodb";
import type { BatchDocument } from "../batches/document.ts";
import type { OrderDocument } from "../orders/document.ts";
import { openStates } from "../orders/store.ts";
import { type Disposition, type StopDeps, type Stopped, stopOrders } from "./stop-orders.ts";

/** The maximum number of ids in a response. People read no more, and the lists show all. */
const idsMax = 100;
/**
 * The maximum number of created keys in a request. It is far below the size limit of a database
 * filter.
 */
const createdMax = 1_000;

/**
 * Creates the RPC that stops the orders of a revoked key or a removed member. The gateway calls it.
 */
export function revocationsRpc(deps: StopDeps) {
  return {
    stopOrders: async (message) => {
      readMutation(message.mutation);
      const { merchantId, actorId, createdIds } = message;
      if (merchantId === "" || actorId === "" || createdIds.length > createdMax) {
        const most = `created_ids: can have at most ${createdMax} ids`;
        orThrow(refused("INVALID_REQUEST", `merchant_id, actor_id: are required; ${most}`));
      }
      const createdBefore = message.createdBefore && timestampDate(message.createdBefore);
      const stopped = { merchantId, actorId, createdIds, createdBefore };
      const disposition = enumName(RevokedOrders, message.orders) ?? "hold";
      await stopOrders(deps, stopped, disposition);
      const ofOrders = concerned<OrderDocument>(stopped, disposition, openStates);
      const [scheduledPayouts, waitingPayouts, batches] = await Promise.all([
        idsOf(deps.orders, ofOrders),
        idsOf(deps.waiting, ofOrders),
        idsOf(
          deps.batches,
          concerned<BatchDocument>(stopped, disposition, ["awaiting_approval", "running"]),
        ),
      ]);
      return { scheduledPayouts, batches, waitingPayouts };
    },
  } satisfies Partial<ServiceImpl<typeof PayoutOrderService>>;
}

/**
 * Returns the filter for the orders that the response lists: the stopped ones or, with `keep`,
 * those that continue.
 */
function concerned<T extends OrderDocument | BatchDocument>(
  { merchantId, actorId, createdIds }: Stopped,
  disposition: Disposition,
  open: readonly string[],
): Filter<T> {
  const held = { state: "awaiting_approval" };
  const stopped = { stopped_for: actorId };
  const which = {
    keep: { "actor.id": { $in: [actorId, ...createdIds] }, state: { $in: open } },
    hold: { ...stopped, ...held },
    // A batch that has already run shows as cancelled by `cancelled_at`, while its lines are still
    // counted.
    cancel: {
      ...stopped,
      $or: [held, { state: "cancelled" }, { cancelled_at: { $exists: true } }],
    },
  };
  return { merchant_id: merchantId, ...which[disposition] } as unknown as Filter<T>;
}

async function idsOf<T extends OrderDocument | BatchDocument>(
  collection: Collection<T>,
  filter: Filter<T>,
) {
  const [count, found] = await Promise.all([
    collection.countDocuments(filter),
    collection
      .find(filter, { projection: { _id: 1 } })
      .sort({ created_at: 1, _id: 1 })
      .limit(idsMax)
      .toArray(),
  ]);
  return { count: BigInt(count), ids: found.map(({ _id }) => String(_id)) };
}
