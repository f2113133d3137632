import { createHash } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { enumValue } from "@disburse/chassis/enum-names.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { isUnavailable, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import type { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import type { PayoutOrderService } from "@disburse/contracts/disburse/payout/v1/orders_pb.ts";
import {
  type RecordIds,
  RecordIdsSchema,
  RevokedOrders,
} from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { UpdateFilter } from "mongodb";
import { type Stop, type Stopped, tighten } from "../keys/stops.ts";
import { isAlive, type KeyDocument, type Keys } from "../keys/store.ts";
import type { MemberDocument, Members } from "../team/store.ts";
import { createdThrough, settledMs } from "./rules/line.ts";

export type RevocationDeps = {
  readonly keys: Keys;
  readonly members: Members;
  readonly orders: Pick<Client<typeof PayoutOrderService>, "stopOrders">;
  readonly notifier: Pick<Client<typeof NotifierService>, "listEndpoints" | "pauseEndpoint">;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with each key that this process changes. */
  readonly changed: (keyId: string) => void;
};

/** Page size for reading a merchant's endpoints. No merchant may have this many. */
const endpointsMax = 100;
/** Maximum keys in one call to the payout service. */
const createdMax = 1_000;
/** Maximum ids in a response. Longer lists would not be read. */
const idsMax = 100;
/**
 * Maximum stops that one run of the sweep carries out: this many of keys, and this many of members.
 */
const sweptMax = 20;
/** Delay before a failed stop is retried. */
const retryMs = 5_000;

type Ids = Pick<RecordIds, "count" | "ids">;

const idsOf = (ids: readonly string[]) =>
  create(RecordIdsSchema, { count: BigInt(ids.length), ids: ids.slice(0, idsMax) });
const joined = (all: readonly Ids[]) =>
  create(RecordIdsSchema, {
    count: all.reduce((sum, { count }) => sum + count, 0n),
    ids: all.flatMap(({ ids }) => ids).slice(0, idsMax),
  });

/**
 * Carries out the stops that revocations and removals have stored. Every step can safely be
 * repeated.
 */
export function createRevocations(deps: RevocationDeps) {
  const carryOut = (stopped: Stopped) => carryOutStop(deps, stopped);
  return {
    carryOut,
    /**
     * Carries out the stops that a crash or an outage left unfinished. Runs each stop a second time
     * when all requests of its key have ended. Returns true if more stops are due.
     */
    sweep: async (): Promise<boolean> => {
      const due = { "stop.due_at": { $lte: deps.clock.now() } };
      const found = [
        ...(await deps.keys.find(due).limit(sweptMax).toArray()),
        ...(await deps.members.collection.find(due).limit(sweptMax).toArray()),
      ];
      for (const { _id: id, merchant_id: merchantId, stop } of found) {
        if (stop === undefined) continue;
        // A failed stop must not block the others. It is retried later.
        await carryOut({ id, merchantId, stop }).catch(async (error: unknown) => {
          deps.log.error(
            { err: error, stopped_id: id },
            "stopping the orders of a revoked key or removed member failed; it will be retried",
          );
          await dueAt(deps, { id, stop }, new Date(deps.clock.now().getTime() + retryMs));
        });
      }
      return found.length >= sweptMax;
    },
  };
}

async function carryOutStop(deps: RevocationDeps, stopped: Stopped) {
  const { stop } = stopped;
  const isCancelled = stop.orders === "cancel";
  const line = await lineOf(deps, stopped);
  if (isCancelled) await revokeAll(deps, line.keys, stop);
  const created = line.keys.map(({ _id }) => _id);
  const orders = await stopOrders(deps, stopped, created);
  const endpoints = await pauseEndpoints(deps, stopped, [stopped.id, ...created]);
  await settle(deps, stopped);
  return {
    orders: enumValue(RevokedOrders, stop.orders),
    ...orders,
    keys: idsOf(isCancelled ? created : line.working),
    endpoints: idsOf(endpoints),
    members: idsOf(line.members),
  };
}

/**
 * Finds the keys and the current members that the actor created, directly or through other keys and
 * members.
 */
async function lineOf({ keys, members, clock }: RevocationDeps, { id, merchantId }: Stopped) {
  const own = { merchant_id: merchantId };
  const [allKeys, allMembers] = await Promise.all([
    keys.find(own).sort({ created_at: 1, _id: 1 }).toArray(),
    members.collection.find(own).sort({ created_at: 1, _id: 1 }).toArray(),
  ]);
  const created = createdThrough(id, [
    ...allKeys.map((key) => ({ ...creationOf(key), follows: key.follows?.key_id })),
    ...allMembers.map(creationOf),
  ]);
  const ids = new Set(created.map((each) => each.id));
  const line = allKeys.filter(({ _id }) => ids.has(_id));
  const people = allMembers.filter(({ _id, removed_at }) => ids.has(_id) && removed_at === null);
  return {
    keys: line,
    working: line.filter((key) => isAlive(key, clock.now())).map(({ _id }) => _id),
    members: people.map(({ _id }) => _id),
  };
}

function creationOf({ _id: id, created_by }: KeyDocument | MemberDocument) {
  const { kind, id: createdBy } = created_by;
  // Operators and services are no part of the chain: the keys and members that they create are
  // roots.
  return { id, createdBy: kind === "api_key" || kind === "member" ? createdBy : "" };
}

/** Revokes the keys that a revoked actor created. Each of these keys gets its own stop. */
async function revokeAll(deps: RevocationDeps, keys: readonly KeyDocument[], stop: Stop) {
  const { actor, operation_id } = stop;
  const now = deps.clock.now();
  const own: Stop = { orders: "cancel", at: now, actor, operation_id, due_at: now };
  for (const { _id } of keys) {
    await deps.keys.updateOne(
      { _id, revoked_at: null },
      { $set: { revoked_at: now, revoked_by: { ...actor, operation_id }, stop: own } },
    );
    await tighten(deps.keys, { _id }, own);
    deps.changed(_id);
  }
}

/**
 * Stops the orders of the actor and of the keys that the actor created. Includes expired keys,
 * because an attacker may have used them. Orders that an active key creates later are not held.
 */
async function stopOrders(deps: RevocationDeps, stopped: Stopped, created: readonly string[]) {
  const { id: actorId, merchantId, stop } = stopped;
  const orders = enumValue(RevokedOrders, stop.orders);
  const createdBefore = stop.orders === "hold" ? timestampFromDate(stop.at) : undefined;
  const none = () => ({
    scheduledPayouts: [] as Ids[],
    batches: [] as Ids[],
    waitingPayouts: [] as Ids[],
  });
  const found = none();
  for (let at = 0; at === 0 || at < created.length; at += createdMax) {
    const createdIds = created.slice(at, at + createdMax);
    const mutation = { operationId: operationOf(stop, [actorId, ...createdIds]) };
    const { scheduledPayouts, batches, waitingPayouts } = await deps.orders.stopOrders({
      mutation,
      merchantId,
      actorId,
      orders,
      createdIds,
      ...(createdBefore && { createdBefore }),
    });
    // HOLD and CANCEL also return the orders that earlier calls have stopped. KEEP returns none.
    if (stop.orders !== "keep") Object.assign(found, none());
    if (scheduledPayouts) found.scheduledPayouts.push(scheduledPayouts);
    if (batches) found.batches.push(batches);
    if (waitingPayouts) found.waitingPayouts.push(waitingPayouts);
  }
  return {
    scheduledPayouts: joined(found.scheduledPayouts),
    batches: joined(found.batches),
    waitingPayouts: joined(found.waitingPayouts),
  };
}

/** Returns the operation id for a call to another service. It is the same on each retry. */
function operationOf({ operation_id, orders }: Stop, subjects: readonly string[]): string {
  const name = createHash("sha256")
    .update([operation_id, orders, ...subjects].join(" "))
    .digest("hex");
  return `stop.${name}`;
}

/**
 * Finds the webhook endpoints that these keys and members created. `cancel` also pauses the
 * endpoints.
 */
async function pauseEndpoints(
  { notifier }: RevocationDeps,
  { merchantId, stop }: Stopped,
  creators: readonly string[],
): Promise<string[]> {
  const { endpoints } = await notifier.listEndpoints({ merchantId, limit: endpointsMax });
  const created = endpoints.filter(({ createdBy }) => creators.includes(createdBy?.id ?? ""));
  if (stop.orders === "cancel") {
    for (const { id: endpointId } of created) {
      const mutation = { operationId: operationOf(stop, [endpointId]) };
      await notifier.pauseEndpoint({ mutation, merchantId, endpointId }).catch(throwUnlessGone);
    }
  }
  return created.map(({ id: endpointId }) => endpointId);
}

/** Ignores the error for a deleted endpoint, which needs no pause. */
function throwUnlessGone(error: unknown): void {
  if (isUnavailable(error) || readRefusal(error)?.code !== "RECORD_NOT_FOUND") throw error;
}

/**
 * Finishes a stop if no request of its key can still be running. Otherwise schedules another run.
 */
async function settle(deps: RevocationDeps, { id, stop }: Stopped): Promise<void> {
  if (stop.due_at === undefined) return;
  const settledAt = new Date(stop.at.getTime() + settledMs);
  const isSettled = deps.clock.now() >= settledAt;
  await dueAt(deps, { id, stop }, isSettled ? undefined : settledAt);
}

/** Sets the time of a stop's next run, unless a stricter stop has replaced it. */
async function dueAt(
  { keys, members }: RevocationDeps,
  { id: _id, stop }: Pick<Stopped, "id" | "stop">,
  at: Date | undefined,
): Promise<void> {
  const asRead = { _id, "stop.operation_id": stop.operation_id, "stop.orders": stop.orders };
  const change =
    at === undefined ? { $unset: { "stop.due_at": "" } } : { $set: { "stop.due_at": at } };
  await keys.updateOne(asRead, change as UpdateFilter<KeyDocument>);
  await members.collection.updateOne(asRead, change as UpdateFilter<MemberDocument>);
}
