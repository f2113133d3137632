import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
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
import { endpointEvent } from "./endpoint-event.ts";
import type { FanOut } from "./fan-out.ts";

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

/** Maximum `gone` deliveries per run. The next run handles the others. */
const goneMax = 200;

const actor = { kind: "service", id: "notifier" } as const;

/** The reason for a pause and the id of its operation. After a crash, the id is the same. */
type Cause = { readonly reason: Exclude<PauseReason, "requested">; readonly operationId: string };

/**
 * Pauses of this age are still announced. No process is down for this long. Events are kept longer
 * than this, so a repeated notice is recognised.
 */
const announcedMs = 30 * 86_400_000;

/**
 * Pauses endpoints that acknowledge nothing, and notifies their merchants. The pause is stored
 * before the notice, so that no notice is false. Then each process announces all stored pauses that
 * it has not announced yet. After a restart, a process announces all of them again. The keys of the
 * notices prevent duplicates.
 */
export function createPauser(deps: PauserDeps) {
  const { endpoints, deliveries, merchants, dispatcher, metrics } = deps;
  const unreachable = metrics.gauge(
    "disburse_webhook_merchants_unreachable",
    "Merchants that get no webhooks: an endpoint was paused as gone or unresponsive, and no other is active.",
  );

  const announced = new Set<string>();
  const announcePauses = async (): Promise<void> => {
    const since = new Date(deps.clock.now().getTime() - announcedMs);
    for (const endpoint of await merchants.pausedSince(since)) {
      const { id, pausedAt } = endpoint;
      const key = `${id} ${pausedAt?.getTime()}`;
      if (pausedAt === undefined || announced.has(key)) continue;
      await announce(deps, endpoint, pausedAt);
      announced.add(key);
    }
  };

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
    /** Runs once. Returns true if more endpoints remain. */
    round: async (): Promise<boolean> => {
      await pauseUnresponsive();
      const hasMore = await pauseGone();
      await announcePauses();
      unreachable.set(await merchants.countUnreachable());
      return hasMore;
    },
  };
}

async function pauseFor(
  { changes, clock, log }: PauserDeps,
  { id: endpointId, merchantId }: Recipient,
  { reason, operationId }: Cause,
): Promise<void> {
  const at = clock.now();
  const operation = { id: operationId, kind: "pause", actor, at } as const;
  const changed = await changes.change({ merchantId, operation }, endpointId, (current) => ({
    operation,
    configuration: pause(current, reason, at),
  }));
  const fields = { endpoint_id: endpointId, merchant_id: merchantId, reason };
  const isDeleted = isRefused(changed);
  if (!isDeleted) log.warn(fields, "endpoint paused");
}

/** Writes the audit entry of a pause. Sends the notice to the merchant's other live endpoints. */
async function announce(deps: PauserDeps, endpoint: Recipient, pausedAt: Date): Promise<void> {
  const { id, merchantId, pausedFor: reason = "requested" } = endpoint;
  const others = (await deps.merchants.activeOf(merchantId)).filter(
    (other) => other.id !== id && isLive(other),
  );
  const operation = `paused:${id}:${pausedAt.getTime()}`;
  await openAuditStore<"endpoint.paused">(deps.database).append({
    at: pausedAt,
    person: actor.id,
    action: "endpoint.paused",
    subject: id,
    operation,
    detail: `${reason}; ${others.length} other endpoints notified`,
  });
  const change = { operationId: operation, content: operation, actor };
  await deps.fanOut.publishOne(
    noticeOf(endpoint, reason, pausedAt),
    change,
    others.map((other) => other.id),
  );
}

function noticeOf({ id, merchantId, description }: Recipient, reason: PauseReason, pausedAt: Date) {
  const data = {
    id,
    status: "paused",
    merchant_id: merchantId,
    reason,
    description,
    paused_at: isoTime(pausedAt),
  };
  return endpointEvent(endpointPaused, data, pausedAt, id);
}
