import { setTimeout as pause } from "node:timers/promises";
import type { Verdict } from "@disburse/harness/scenario.ts";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import { named } from "../payouts/checks.ts";
import type { FaultPlatform } from "../platform.ts";
import type { WebhookLoad } from "./load.ts";
import type { WebhookReceiver } from "./receiver.ts";

type Stored = {
  readonly _id: string;
  readonly merchant_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempts_count: number;
};

export type WebhookScenario = {
  readonly platform: FaultPlatform;
  readonly receiver: WebhookReceiver;
  readonly load: WebhookLoad;
};

/**
 * Received calls for which no attempt is recorded, by delivery. The sender was killed or hung
 * before it could record the attempt. Only these calls may be repeated.
 */
export type UnrecordedCalls = Map<string, number>;

/** The schedule's maximum (docs/reference/webhooks.md). */
const attemptsMax = 15;
/** Concurrent attempts of one process (services/notifier). */
const inFlightMax = 256;
/**
 * Longest expected pause between calls. Two leases, or the fourth retry to a flaky endpoint, take
 * less.
 */
const silenceMs = 90_000;
const pollEveryMs = 250;
const shownMax = 5;

/** Counts calls without a recorded attempt. No sender may be running. */
export async function noteUnrecorded(
  scenario: WebhookScenario,
  unrecorded: UnrecordedCalls,
): Promise<void> {
  await scenario.receiver.drained();
  const fresh = new Map<string, number>();
  for (const delivery of await readDeliveries(scenario, { state: "pending" })) {
    const more = unwritten(scenario, delivery) - (unrecorded.get(delivery._id) ?? 0);
    if (more > 0) fresh.set(delivery._id, more);
  }
  // One crash can't cause more of these calls than a process has concurrent attempts.
  if (fresh.size > inFlightMax) return;
  for (const [id, more] of fresh) unrecorded.set(id, (unrecorded.get(id) ?? 0) + more);
}

/** Waits until all published events are final, then checks that none was lost or repeated. */
export async function checkWebhooks(
  scenario: WebhookScenario,
  unrecorded: UnrecordedCalls,
): Promise<Verdict[]> {
  const { load, receiver } = scenario;
  await load.drain();
  const waiting = await untilDelivered(scenario);
  const deliveries = await readDeliveries(scenario, {});
  const overdone = deliveries.filter((each) => each.attempts_count > attemptsMax);
  const repeated = deliveries.filter(
    (each) => unwritten(scenario, each) > (unrecorded.get(each._id) ?? 0),
  );
  return [
    { name: "every webhook at its end", problems: waiting },
    { name: "every event at every endpoint", problems: missed(scenario) },
    { name: "one delivery for each", problems: strange(scenario, deliveries) },
    { name: "at most 15 attempts", problems: namedOf(overdone, "had more") },
    { name: "no duplicates except calls in progress", problems: namedOf(repeated, "was repeated") },
    { name: "the same id and body", problems: receiver.problems.slice(0, shownMax) },
  ];
}

/** Counts a delivery's received calls without a stored attempt. */
function unwritten({ receiver, load }: WebhookScenario, delivery: Stored): number {
  const endpoint = load.endpoints.find(({ endpointId }) => endpointId === delivery.endpoint_id);
  const came = receiver.arrivals(endpoint?.path ?? "", delivery.event_id);
  return came - delivery.attempts_count;
}

function missed({ load, receiver }: WebhookScenario): string[] {
  const unacknowledged = load.published.flatMap(({ eventId, merchantId }) =>
    load.endpoints
      .filter((endpoint) => endpoint.merchantId === merchantId)
      .filter(({ path }) => !receiver.acknowledged(path, eventId))
      .map(({ path }) => `${eventId} was not acknowledged at ${path}`),
  );
  return unacknowledged.slice(0, shownMax);
}

function strange({ load }: WebhookScenario, deliveries: readonly Stored[]): string[] {
  const expected = load.published.reduce(
    (sum, { merchantId }) =>
      sum + load.endpoints.filter((endpoint) => endpoint.merchantId === merchantId).length,
    0,
  );
  const count = `${deliveries.length} deliveries where ${expected} were expected`;
  return [
    ...(deliveries.length === expected ? [] : [count]),
    ...namedOf(
      deliveries.filter(({ state }) => state !== "delivered"),
      "is not delivered",
    ),
  ];
}

/** Waits until nothing is pending, as long as calls arrive. Returns the pending deliveries. */
async function untilDelivered(scenario: WebhookScenario): Promise<string[]> {
  const { receiver } = scenario;
  let calls = receiver.calls();
  for (let calledAt = Date.now(); ; await pause(pollEveryMs)) {
    const pending = await readDeliveries(scenario, { state: "pending" });
    if (pending.length === 0 && missed(scenario).length === 0) return [];
    if (receiver.calls() > calls) {
      calls = receiver.calls();
      calledAt = Date.now();
    }
    if (Date.now() > calledAt + silenceMs) return namedOf(pending, "is pending");
  }
}

async function readDeliveries(scenario: WebhookScenario, filter: object): Promise<Stored[]> {
  const { platform, load } = scenario;
  const merchantIds = load.endpoints.map(({ merchantId }) => merchantId);
  const found = collectionOf(platform.databases(), "deliveries").find(
    { merchant_id: { $in: merchantIds }, ...filter } as object,
    { projection: { body: 0, attempts: 0 } },
  );
  return (await found.toArray()) as unknown as Stored[];
}

function namedOf(deliveries: readonly Stored[], what: string): string[] {
  const ids = deliveries.map(({ _id }) => _id);
  return named(ids, what);
}
