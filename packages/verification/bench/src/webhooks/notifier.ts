import { connectService } from "@disburse/chassis/rpc/client.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { configureServices } from "@disburse/platform/services.ts";
import { waitUntilServing } from "@disburse/sandbox/clients.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import type { Backends } from "../platforms/backends.ts";
import type { Endpoint } from "./endpoints.ts";

/** The namespace of the exchange and the queues. */
export const namespace = "bench-webhooks";
const readyTimeoutMs = 60_000;
/** Longer than by default, because the engine may be busy. */
const callTimeoutMs = 30_000;

/** A notifier in a process of its own. */
export type Notifier = Awaited<ReturnType<typeof startNotifier>>;

/** Starts a notifier on databases of its own. */
export async function startNotifier({ mongodbUri, amqpUrl, mongo }: Backends) {
  const services = await configureServices({
    mongodbUri,
    amqpUrl,
    databasePrefix: "bench_webhooks_",
    busNamespace: namespace,
    settings: { LOG_LEVEL: "warn" },
  });
  const url = services.url("notifier");
  const identity = createTrust(services.secrets).person("bench");
  const client = connectService(NotifierService, url, { identity, timeoutMs: callTimeoutMs });
  const stop = async () => {
    client.close();
    await services.stop();
  };
  try {
    await services.migrate();
    await services.start("notifier");
    await waitUntilServing(url, readyTimeoutMs);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    rpc: client.rpc,
    secrets: services.secrets,
    db: mongo.db(services.database("notifier")),
    pid: services.pid("notifier"),
    stop,
  };
}

let operations = 0;
const mutation = () => ({ operationId: `webhooks:${++operations}` });

/** Registers an endpoint that subscribes to its status. */
export async function register({ rpc }: Notifier, { merchantId, status }: Endpoint, url: string) {
  const eventTypes = [`payment_session.${status}`];
  const made = await rpc.createEndpoint({ mutation: mutation(), merchantId, url, eventTypes });
  const endpointId = made.endpoint?.id ?? "";
  const owned = () => ({ mutation: mutation(), merchantId, endpointId });
  return {
    pause: () => rpc.pauseEndpoint(owned()),
    resume: () => rpc.resumeEndpoint(owned()),
  };
}
