import { serveLocally } from "@disburse/harness/local-server.ts";
import { until } from "@disburse/harness/waiting.ts";
import { type Breakage, keepDoing } from "./breakage.ts";
import type { World } from "./world.ts";

/** Creates an endpoint that passes its challenge. Afterwards it fails or hangs for each event. */
async function badEndpoint(world: World, isHanging: boolean) {
  let isBad = false;
  const endpoint = await serveLocally((_request, response) => {
    if (!isBad) return response.writeHead(200).end();
    return isHanging ? undefined : response.writeHead(500).end();
  });
  // The endpoint accepts pending events until the platform stops.
  world.ends.defer(endpoint.close);
  const answer = await world.post("/webhooks/endpoints", { url: endpoint.url });
  if (answer?.status !== 200)
    throw new Error(`creating a webhook endpoint failed: ${answer?.text}`);
  isBad = true;
  const endPaying = keepDoing(() => world.pay("order"), 100);
  return async () => {
    isBad = false;
    await endPaying();
  };
}

/** Creates a pending record from long ago. */
async function leavePending({ db }: World) {
  const beneficiaries = db("beneficiary").collection("beneficiaries");
  const found = await beneficiaries.findOne({ "screening.status": "cleared" });
  if (found === null) throw new Error("no beneficiary");
  const { _id, screening, created_at } = found;
  const pending = { status: "pending", attempts: 1, next_at: new Date(Date.now() + 3_600_000) };
  const before = new Date(Date.now() - 3_600_000);
  await beneficiaries.updateOne({ _id }, { $set: { screening: pending, created_at: before } });
  return () => beneficiaries.updateOne({ _id }, { $set: { screening, created_at } });
}

/** Pauses the merchant's endpoints as the notifier does after failures. */
async function pauseEndpoints({ db, merchant, post }: World) {
  const answer = await post("/webhooks/endpoints", { url: "http://127.0.0.1:9/hook" });
  if (answer?.status !== 200)
    throw new Error(`creating a webhook endpoint failed: ${answer?.text}`);
  const endpoints = db("notifier").collection("endpoints");
  const theirs = { merchant_id: merchant.merchantId, deleted_at: null, paused_at: null };
  const paused = { paused_at: new Date(), paused_for: "gone" };
  await endpoints.updateMany(theirs, { $set: paused, $inc: { revision: 1 } });
  const resumed = { paused_at: null, paused_for: null };
  return () => endpoints.updateMany(paused, { $set: resumed, $inc: { revision: 1 } });
}

/** Deletes the notifier's data of a payout, as happens when a backup is restored. */
async function loseEvents(world: World) {
  const { db } = world;
  const stored = db("notifier").collection("events");
  const before = await stored.countDocuments();
  await world.pay("order");
  await until(async () => (await stored.countDocuments()) > before, {
    timeoutMs: 10_000,
    everyMs: 50,
  });
  await stored.deleteMany({});
  await db("notifier").collection("deliveries").deleteMany({});
}

export const merchantBreakages: readonly Breakage[] = [
  { alert: "DisburseScreeningBacklog", break: leavePending },
  {
    alert: "DisburseWebhookEndpointDead",
    companions: ["DisburseWebhookBacklog"],
    break: (world) => badEndpoint(world, false),
  },
  {
    alert: "DisburseWebhookBacklog",
    companions: ["DisburseWebhookEndpointDead"],
    break: (world) => badEndpoint(world, true),
  },
  { alert: "DisburseWebhookMerchantUnreachable", break: pauseEndpoints },
  {
    alert: "DisburseWebhookEventsLost",
    break: async (world) => {
      await loseEvents(world);
      return () => undefined;
    },
  },
  {
    alert: "DisburseWebhookGapsOpen",
    break: async ({ db }) => {
      const gaps = db("notifier").collection<{ _id: string }>("gaps");
      const due_at = new Date(Date.now() + 3_600_000);
      await gaps.insertOne({ _id: "left", kind: "event", due_at } as never);
      return () => gaps.deleteOne({ _id: "left" });
    },
  },
];
