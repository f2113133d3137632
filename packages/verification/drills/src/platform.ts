import { text } from "node:stream/consumers";
import { startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { serveLocally } from "@disburse/harness/local-server.ts";
import { checkDatabase, type Databases, openerFor } from "@disburse/invariants/database-check.ts";
import type { Finding } from "@disburse/invariants/finding.ts";
import { untilQuiet } from "@disburse/invariants/quiet.ts";
import { post } from "@disburse/platform/merchant.ts";
import { fundMerchant, startPlatform } from "@disburse/platform/platform.ts";
import { unlimitedRate } from "@disburse/platform/services.ts";
import { connectServices } from "@disburse/sandbox/clients.ts";
import { encryptionKeysOf } from "@disburse/sandbox/secrets.ts";
import { MongoClient } from "mongodb";

/** The platform under test, with a merchant who pays and receives webhooks. */
export type DrillPlatform = Awaited<ReturnType<typeof startDrillPlatform>>;

const prefix = "drill_";
const settings = {
  ...unlimitedRate,
  LOG_LEVEL: "warn",
  SANDBOX_SETTLE_MS: "200",
  GAP_SWEEP_SECONDS: "5",
};
/**
 * Time until the platform is at rest. A return takes less, and so does the second poll of a
 * transfer with an unknown outcome.
 */
const restMs = 60_000;

/** Starts engine, broker and six processes in a folder. `stop` ends them all. */
export async function startDrillPlatform(folder: string) {
  await using starting = new AsyncDisposableStack();
  const { MONGODB_URI: _uri, AMQP_URL: _amqp, ...env } = process.env;
  const onExit = (how: string) => process.stderr.write(`a part of the platform ended: ${how}\n`);
  const engine = await startEngine({ dataDir: folder, env, onExit });
  starting.defer(engine.stop);
  const broker = await startBroker({ dataDir: folder, env, onExit });
  if (broker === undefined) throw new Error("The drill needs rabbitmq-server.");
  starting.defer(broker.stop);
  const client = new MongoClient(engine.uri("admin"));
  starting.defer(() => client.close());
  const places = { mongodbUri: engine.uri, amqpUrl: broker.url };
  const platform = await startPlatform({
    ...places,
    databasePrefix: prefix,
    busNamespace: "drill",
    settings,
  });
  starting.defer(platform.stop);
  const merchant = await fundMerchant(platform);
  const webhooks = await openReceiver();
  starting.defer(webhooks.close);
  await post({ ...platform, ...merchant }, "/webhooks/endpoints", { url: webhooks.url });
  const databases: Databases = { client, prefix };
  const gateway = connectServices(platform.url, platform.trust.service("gateway"));
  starting.defer(() => gateway.close());
  const ends = starting.move();
  return {
    ...platform,
    ...merchant,
    client,
    databases,
    webhooks: webhooks.received,
    /** Uses the gateway's identity, which acts for merchants. */
    asGateway: gateway.rpcs,
    /** Waits until nothing is in progress. Throws on a timeout. */
    rest: async (): Promise<void> => {
      const busy = await untilQuiet(databases, restMs);
      if (busy.length > 0)
        throw new Error(`work is still pending after ${restMs} ms: ${busy.join(", ")}`);
    },
    findings: async (): Promise<readonly Finding[]> => {
      const open = await openerFor(databases, encryptionKeysOf(platform.secrets, "gateway") ?? "");
      return (await checkDatabase(databases, { now: new Date(), open })).findings;
    },
    stop: () => ends.disposeAsync(),
  };
}

/** Opens a merchant's endpoint. Records `<payout> <status> <webhook-id>` of each call. */
async function openReceiver() {
  const received: string[] = [];
  const { url, close } = await serveLocally(async (request, response) => {
    const { transaction_id, data } = JSON.parse(await text(request));
    received.push(`${transaction_id} ${data.status} ${request.headers["webhook-id"]}`);
    response.writeHead(200).end();
  });
  return { received: received as readonly string[], url, close };
}
