import { setTimeout as pause } from "node:timers/promises";
import { collectionOf } from "@disburse/invariants/database-check.ts";
import type { FaultPlatform } from "./fault-platform.ts";
import type { Assertion } from "./verdict.ts";
import type { WebhookHooks } from "./webhook-hooks.ts";
import type { WebhookLoad } from "./webhook-load.ts";

/** A delivery as it is stored. */
type Stored = {
  readonly _id: string;
  readonly merchant_id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempts_count: number;
};

/** What is published, who receives it, and where it is stored. */
export type WebhookScene = {
  readonly platform: FaultPlatform;
  readonly receiver: WebhookHooks;
  readonly load: WebhookLoad;
};

/**
 * Calls that nobody has written down as an attempt, by delivery: their sender was gone, or hung,
 * when their answers came. Each may come again, and nothing else may.
 */
export type LostCalls = Map<string, number>;

/** The schedule has no more (docs/webhooks.md). */
const attemptsMax = 15;
/** A process has at most this many attempts under way (services/notifier). */
const inFlightMax = 256;
/** Nothing is stuck as long as calls come: two leases, or a moody endpoint's fourth retry. */
const silenceMs = 90_000;
const askEveryMs = 250;
const shownMax = 5;

/** Notes, while no sender lives, which calls were lost. */
export async function noteLost(scene: WebhookScene, lost: LostCalls): Promise<void> {
  await scene.receiver.drained();
  const fresh = new Map<string, number>();
  for (const delivery of await readDeliveries(scene, { state: "pending" })) {
    const more = unwritten(scene, delivery) - (lost.get(delivery._id) ?? 0);
    if (more > 0) fresh.set(delivery._id, more);
  }
  // What a process had under way is no more than it may have; else they were not lost by its end.
  if (fresh.size > inFlightMax) return;
  for (const [id, more] of fresh) lost.set(id, (lost.get(id) ?? 0) + more);
}

/** Lets everything published come to its end, and looks whether anything was lost or doubled. */
export async function judgeWebhooks(scene: WebhookScene, lost: LostCalls): Promise<Assertion[]> {
  const { load, receiver } = scene;
  await load.rest();
  const waiting = await untilDelivered(scene);
  const deliveries = await readDeliveries(scene, {});
  return [
    { name: "every webhook at its end", problems: waiting },
    { name: "every event at every endpoint", problems: missed(scene) },
    { name: "one delivery for each", problems: strange(scene, deliveries) },
    {
      name: "at most 15 attempts",
      problems: named(deliveries, (each) => each.attempts_count > attemptsMax, "had more"),
    },
    {
      name: "nothing twice but what was under way",
      problems: named(deliveries, isRepeated(scene, lost), "came again"),
    },
    { name: "the same id and body", problems: receiver.problems.slice(0, shownMax) },
  ];
}

/** Calls of a delivery that arrived and are no written attempt. */
function unwritten({ receiver, load }: WebhookScene, delivery: Stored): number {
  const hook = load.hooks.find(({ endpointId }) => endpointId === delivery.endpoint_id);
  const came = receiver.arrivals(hook?.path ?? "", delivery.event_id);
  return came - delivery.attempts_count;
}

function isRepeated(scene: WebhookScene, lost: LostCalls): (delivery: Stored) => boolean {
  return (delivery) => unwritten(scene, delivery) > (lost.get(delivery._id) ?? 0);
}

function missed({ load, receiver }: WebhookScene): string[] {
  const untold = load.published.flatMap(({ eventId, merchantId }) =>
    load.hooks
      .filter((hook) => hook.merchantId === merchantId)
      .filter(({ path }) => !receiver.acknowledged(path, eventId))
      .map(({ path }) => `${eventId} was not acknowledged at ${path}`),
  );
  return untold.slice(0, shownMax);
}

function strange({ load }: WebhookScene, deliveries: readonly Stored[]): string[] {
  const expected = load.published.reduce(
    (sum, { merchantId }) =>
      sum + load.hooks.filter((hook) => hook.merchantId === merchantId).length,
    0,
  );
  const count = `${deliveries.length} deliveries where ${expected} were expected`;
  return [
    ...(deliveries.length === expected ? [] : [count]),
    ...named(deliveries, ({ state }) => state !== "delivered", "is not delivered"),
  ];
}

/** Waits until nothing is pending, as long as calls come; answers what still is. */
async function untilDelivered(scene: WebhookScene): Promise<string[]> {
  const { receiver } = scene;
  let calls = receiver.calls();
  for (let calledAt = Date.now(); ; await pause(askEveryMs)) {
    const pending = await readDeliveries(scene, { state: "pending" });
    if (pending.length === 0 && missed(scene).length === 0) return [];
    if (receiver.calls() > calls) {
      calls = receiver.calls();
      calledAt = Date.now();
    }
    if (Date.now() > calledAt + silenceMs) return named(pending, () => true, "is pending");
  }
}

async function readDeliveries(scene: WebhookScene, filter: object): Promise<Stored[]> {
  const { platform, load } = scene;
  const merchantIds = load.hooks.map(({ merchantId }) => merchantId);
  const found = collectionOf(platform.databases(), "deliveries").find(
    { merchant_id: { $in: merchantIds }, ...filter } as object,
    { projection: { body: 0, attempts: 0 } },
  );
  return (await found.toArray()) as unknown as Stored[];
}

function named(all: readonly Stored[], isMeant: (each: Stored) => boolean, what: string): string[] {
  const meant = all.filter(isMeant);
  const shown = meant.slice(0, shownMax).map(({ _id }) => `${_id} ${what}`);
  return meant.length > shownMax
    ? [...shown, `and ${meant.length - shownMax} more ${what}`]
    : shown;
}
