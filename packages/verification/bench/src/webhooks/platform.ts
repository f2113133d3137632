import { connectService } from "@disburse/chassis/rpc/client.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { configureServices } from "@disburse/platform/services.ts";
import { waitUntilServing } from "@disburse/sandbox/clients.ts";
import { createTrust } from "@disburse/sandbox/trust.ts";
import type { Backends } from "../platforms/backends.ts";
import type { Endpoint } from "./endpoints.ts";

/** Of the exchange and the queues. */
export const namespace = "bench-webhooks";
const databasePrefix = "bench_webhooks_";
const readyTimeoutMs = 60_000;
/** The engine may be busy with everything else at that moment. */
const callTimeoutMs = 30_000;

/** One notifier in a process of its own. */
export type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** Starts the notifier; where `profileDir` is given it writes a CPU profile there as it ends. */
export async function startPlatform(backends: Backends, profileDir?: string) {
  const { mongodbUri, amqpUrl, mongo } = backends;
  const profiling = `--cpu-prof --cpu-prof-dir=${profileDir}`;
  const services = await configureServices({
    ...{ mongodbUri, amqpUrl, databasePrefix, busNamespace: namespace },
    settings: {
      LOG_LEVEL: "warn",
      ...(profileDir === undefined ? {} : { NODE_OPTIONS: profiling }),
    },
  });
  const url = services.url("notifier");
  const start = async () => {
    await services.start("notifier");
    await waitUntilServing(url, readyTimeoutMs);
  };
  const identity = createTrust(services.secrets).person("bench");
  const options = { identity, timeoutMs: callTimeoutMs };
  const client = connectService(NotifierService, url, options);
  const ready = services.migrate().then(start);
  await ready.catch(async (error: unknown) => {
    await services.stop();
    throw error;
  });
  return {
    rpc: client.rpc,
    secrets: services.secrets,
    db: mongo.db(services.database("notifier")),
    pid: () => services.pid("notifier"),
    /** Ends it with SIGKILL. */
    kill: () => services.kill("notifier"),
    /** Starts it again where it was. */
    start,
    stop: async () => {
      client.close();
      await services.stop();
    },
    /** What it has written, warnings and worse. */
    log: () => services.log("notifier"),
  };
}

let operations = 0;
const mutation = () => ({ operationId: `webhooks:${++operations}` });

/** An endpoint that is registered. */
export type Registered = Awaited<ReturnType<typeof register>>;

/** Registers an endpoint that subscribes to one status. */
export async function register({ rpc }: Platform, endpoint: Endpoint, url: string) {
  const { merchantId, status } = endpoint;
  const eventTypes = [`payment_session.${status}`];
  const made = await rpc.createEndpoint({ mutation: mutation(), merchantId, url, eventTypes });
  const endpointId = made.endpoint?.id ?? "";
  const owned = () => ({ mutation: mutation(), merchantId, endpointId });
  return {
    endpoint,
    endpointId,
    /** What comes for it waits from now on. */
    pause: () => rpc.pauseEndpoint(owned()),
    /** What has waited goes out. */
    resume: () => rpc.resumeEndpoint(owned()),
  };
}
