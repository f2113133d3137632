import { connectService, type ServiceClient } from "@disburse/chassis/rpc/client.ts";
import { serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { NotifierService } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { untilServing } from "@disburse/sandbox/clients.ts";
import { type Ports, serviceEnvironments, serviceNames } from "@disburse/sandbox/environments.ts";
import { newSecrets } from "@disburse/sandbox/secrets.ts";
import { createServiceProcesses } from "@disburse/sandbox/service-processes.ts";
import type { Db } from "mongodb";
import type { Ground } from "../stack.ts";
import { deadStatus, type Hook } from "./hook.ts";

/** Of the exchange and the queues. */
export const namespace = "bench-webhooks";
const databasePrefix = "bench_webhooks_";
const readyTimeoutMs = 60_000;
/** The engine may be busy with everything else at that moment. */
const callTimeoutMs = 30_000;

type Client = ServiceClient<typeof NotifierService>["rpc"];

/** One notifier in a process of its own. */
export type Platform = {
  readonly rpc: Client;
  readonly db: Db;
  pid(): number;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** What it has written, warnings and worse. */
  log(): string;
};

/** Starts the notifier; where `profileDir` is given it writes a CPU profile there as it ends. */
export async function startPlatform(ground: Ground, profileDir?: string): Promise<Platform> {
  const chosen = await freePorts(1);
  const port = chosen[0] ?? 0;
  const ports = Object.fromEntries([...serviceNames, "public"].map((name) => [name, port]));
  const secrets = newSecrets();
  const profiling = `--cpu-prof --cpu-prof-dir=${profileDir}`;
  const environments = serviceEnvironments({
    host: "127.0.0.1",
    ports: ports as Ports,
    secrets,
    mongodbUri: ground.mongodbUri,
    amqpUrl: ground.amqpUrl,
    databasePrefix,
    settings: {
      LOG_LEVEL: "warn",
      BUS_NAMESPACE: namespace,
      ...(profileDir === undefined ? {} : { NODE_OPTIONS: profiling }),
    },
  });
  const processes = createServiceProcesses(environments);
  const url = `http://127.0.0.1:${port}`;
  const { serviceToken } = secrets;
  const start = async () => {
    await processes.start("notifier");
    await untilServing(url, serviceToken, readyTimeoutMs);
  };
  const options = { caller: "bench", serviceToken, timeoutMs: callTimeoutMs };
  const client = connectService(NotifierService, url, options);
  await start().catch(async (error: unknown) => {
    await processes.stop();
    throw error;
  });
  return {
    rpc: client.rpc,
    db: ground.mongo.db(`${databasePrefix}notifier`),
    pid: () => processes.pid("notifier"),
    kill: () => processes.kill("notifier"),
    start,
    stop: async () => {
      client.close();
      await processes.stop();
    },
    log: () => processes.log("notifier"),
  };
}

let operations = 0;
const mutation = () => serviceMutation("bench", `webhooks:${++operations}`);

/** Registers an endpoint that is told of one status alone; answers its id. */
export async function register({ rpc }: Platform, hook: Hook, url: string): Promise<string> {
  const { merchantId, status } = hook;
  const eventTypes = [`payment_session.${status}`];
  const made = await rpc.createEndpoint({ mutation: mutation(), merchantId, url, eventTypes });
  return made.endpoint?.id ?? "";
}

/** An endpoint that is registered. */
export type Registered = { readonly hook: Hook; readonly endpointId: string };

/** Registers one that never answers, beside another one of the same merchant. */
export async function registerDead(
  platform: Platform,
  beside: Hook,
  at: number,
  url: string,
): Promise<Registered> {
  const hook = { at, merchantId: beside.merchantId, status: deadStatus };
  return { hook, endpointId: await register(platform, hook, url) };
}

/** What comes for it waits from now on. */
export async function pause({ rpc }: Platform, { hook, endpointId }: Registered): Promise<void> {
  await rpc.pauseEndpoint({ mutation: mutation(), merchantId: hook.merchantId, endpointId });
}

/** What has waited goes out. */
export async function resume({ rpc }: Platform, { hook, endpointId }: Registered): Promise<void> {
  await rpc.resumeEndpoint({ mutation: mutation(), merchantId: hook.merchantId, endpointId });
}
