import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { type Clock, isoTime } from "@disburse/kernel/time.ts";
import type { Dispatcher } from "../deliveries/dispatch/dispatcher.ts";
import type { FailingStore } from "../deliveries/failing-store.ts";
import type { EndpointChanges } from "../endpoints/changes.ts";
import type { PausedStore } from "../endpoints/paused-store.ts";
import { isLive, type PauseReason, type Recipient } from "../endpoints/rules/endpoint.ts";
import { endpointPaused } from "../endpoints/rules/opt-in.ts";
import { pause } from "../endpoints/rules/pause.ts";
import type { EndpointStore } from "../endpoints/store.ts";
import type { FanOut } from "./fan-out.ts";
import { webhookEventOf } from "./rules/event.ts";

type PauserDeps = {
  readonly database: Database;
  readonly endpoints: Pick<EndpointStore, "readActive">;
  readonly merchants: PausedStore;
  readonly changes: Pick<EndpointChanges, "change">;
  readonly deliveries: Pick<FailingStore, "gone" | "forgetGone">;
  readonly dispatcher: Pick<Dispatcher, "unresponsive" | "restartStreak">;
  readonly fanOut: Pick<FanOut, "publishOne">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Bounds a round; the others follow in the next one. */
const goneMax = 200;

const actor = { kind: "service", id: "notifier" } as const;

/** Why an endpoint is to be paused, and by what: the same again after a crash. */
type Cause = { readonly reason: Exclude<PauseReason, "requested">; readonly operationId: string };

/**
 * Pauses endpoints that take nothing, and notifies their merchants. The notice and the audit entry
 * are written before the pause, and what caused it is forgotten after it: a crash between repeats
 * all of it, each once by its key.
 */
export function createPauser(deps: PauserDeps) {
  const { endpoints, deliveries, merchants, dispatcher, metrics } = deps;
  const unreachable = metrics.gauge(
    "disburse_webhook_merchants_unreachable",
    "Merchants with an endpoint that was paused because it takes nothing, and no other one.",
  );

  const pauseGone = async (): Promise<boolean> => {
    const found = await deliveries.gone(goneMax);
    if (found.length === 0) return false;
    const active = await endpoints.readActive(found.map(({ endpoint_id }) => endpoint_id));
    const paused = new Set<string>();
    for (const { _id, endpoint_id, updated_at } of found) {
      const endpoint = active.get(endpoint_id);
      if (endpoint === undefined || endpoint.pausedAt !== undefined || paused.has(endpoint_id)) {
        continue;
      }
      if (endpoint.resumedAt !== undefined && endpoint.resumedAt > updated_at) continue;
      await pauseFor(deps, endpoint, { reason: "gone", operationId: `gone:${_id}` });
      paused.add(endpoint_id);
    }
    await deliveries.forgetGone(found.map(({ _id }) => _id));
    return found.length === goneMax;
  };

  const pauseUnresponsive = async (): Promise<void> => {
    const found = dispatcher.unresponsive();
    if (found.length === 0) return;
    const active = await endpoints.readActive(found.map(({ endpointId }) => endpointId));
    for (const { endpointId, since } of found) {
      const endpoint = active.get(endpointId);
      if (endpoint === undefined || endpoint.pausedAt !== undefined) continue;
      if (endpoint.resumedAt !== undefined && endpoint.resumedAt > since) {
        dispatcher.restartStreak(endpointId);
        continue;
      }
      const operationId = `unresponsive:${endpointId}:${since.getTime()}`;
      await pauseFor(deps, endpoint, { reason: "unresponsive", operationId });
    }
  };

  return {
    /** Answers whether there is more to do. */
    round: async (): Promise<boolean> => {
      await pauseUnresponsive();
      const hasMore = await pauseGone();
      unreachable.set(await merchants.countUnreachable());
      return hasMore;
    },
  };
}

async function pauseFor(deps: PauserDeps, endpoint: Recipient, cause: Cause): Promise<void> {
  const { changes, clock, log, database } = deps;
  const { id: endpointId, merchantId } = endpoint;
  const { reason, operationId } = cause;
  const at = clock.now();
  const others = (await deps.merchants.activeOf(merchantId)).filter(
    (other) => other.id !== endpointId && isLive(other),
  );
  await notify(deps, endpoint, cause, others);
  await openAuditStore<"endpoint.paused">(database).append({
    at,
    person: actor.id,
    action: "endpoint.paused",
    subject: endpointId,
    operation: operationId,
    detail: `${reason}; ${others.length} other endpoints notified`,
  });
  const operation = { id: operationId, kind: "pause", actor, at } as const;
  const changed = await changes.change({ merchantId, operation }, endpointId, (current) => ({
    operation,
    settings: pause(current, reason, at),
  }));
  const fields = { endpoint_id: endpointId, merchant_id: merchantId, reason };
  const isDeleted = isRefused(changed);
  if (!isDeleted) log.warn({ ...fields, notified: others.length }, "endpoint paused");
}

/** Queues the notice for the merchant's other live endpoints, and for its feed. */
async function notify(
  { fanOut, clock }: PauserDeps,
  { id, merchantId, description, revision }: Recipient,
  { reason, operationId }: Cause,
  others: readonly Recipient[],
): Promise<void> {
  const at = clock.now();
  const sequence = revision + 1;
  const data = {
    id,
    status: "paused",
    merchant_id: merchantId,
    reason,
    description,
    paused_at: isoTime(at),
  };
  const event = {
    eventId: eventId(id, sequence),
    merchantId,
    transactionType: endpointPaused,
    transactionId: id,
    status: data.status,
    sequence: BigInt(sequence),
    dataJson: JSON.stringify(data),
    occurredAt: at,
  };
  const change = { operationId, content: operationId, actor };
  await fanOut.publishOne(
    webhookEventOf(event, at),
    change,
    others.map((other) => other.id),
  );
}
