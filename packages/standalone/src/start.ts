import { join } from "node:path";
import { createMemoryBus } from "@disburse/chassis/bus/bus.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { type Broker, startBroker } from "@disburse/embedded/broker.ts";
import { type Engine, startEngine } from "@disburse/embedded/engine.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { type Ports, serviceEnvironments } from "@disburse/sandbox/environments.ts";
import { createSandbox, type SandboxDocument } from "@disburse/sandbox/sandbox-file.ts";
import { pino } from "pino";
import { readConfig } from "./config.ts";
import { readSecrets, sandboxFile } from "./data-folder.ts";
import { assertPortFree } from "./free-port.ts";
import { type LogOutput, openLogOutput } from "./log-output.ts";
import { startPlatform } from "./platform.ts";

export type Standalone = {
  readonly sandbox: SandboxDocument;
  readonly sandboxPath: string;
  readonly engineKind: Engine["kind"];
  readonly brokerKind: Broker["kind"] | "in process";
  /** Ends services, broker and engine, in this order. */
  stop(): Promise<void>;
};

/**
 * Enough for what is in use. With 256 MB the whole platform would need more than 700 MB as soon
 * as 20,000 payouts are stored; with this it needs the same however many there are.
 */
const cacheMegabytes = 64;

/**
 * Starts the whole platform on embedded parts and makes the sandbox in it. `onLost` is told when
 * the engine or the broker ends by itself: nothing works without them.
 */
export async function startStandalone(
  environment: Environment,
  root: string,
  onLost: (message: string) => void,
): Promise<Standalone> {
  const config = readConfig(environment, root);
  const { DATA_DIR: dataDir } = config;
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  const lost = (part: string) => (how: string) => onLost(`The ${part} has gone: ${how}.`);
  try {
    await assertPortFree(config.HOST, config.PORT);
    const secrets = readSecrets(dataDir);
    const env = { ...environment };
    // Side by side: the broker takes seconds, the engine most of one.
    const [engineStart, brokerStart] = await Promise.allSettled([
      startEngine({ dataDir, env, cacheMegabytes, onExit: lost("database engine") }),
      startBroker({ dataDir, env, onExit: lost("message broker") }),
    ]);
    for (const part of [engineStart, brokerStart]) {
      if (part.status === "fulfilled" && part.value !== undefined) ends.push(part.value.stop);
    }
    const engine = started(engineStart);
    const broker = started(brokerStart);
    // The engine holds the data folder: from here on no other platform writes there.
    const log = openLog(config);
    ends.push(async () => log.close());
    const { SANDBOX_SETTLE_MS, passedOn } = config;
    const environments = serviceEnvironments({
      host: config.HOST,
      ports: await choosePorts(config.PORT),
      secrets,
      mongodbUri: engine.uri,
      ...(broker === undefined ? {} : { amqpUrl: broker.url }),
      settings: { ...passedOn, LOG_LEVEL: log.level, SANDBOX_SETTLE_MS: String(SANDBOX_SETTLE_MS) },
    });
    const bus = broker === undefined ? createMemoryBus() : undefined;
    if (bus !== undefined) ends.push(bus.stop);
    const shared = { ...(bus === undefined ? {} : { bus }), logTo: log.destination };
    const platform = await startPlatform(environments, shared);
    ends.push(platform.stop);
    const sandboxPath = join(dataDir, sandboxFile);
    const { services } = platform;
    const sandbox = await createSandbox({
      baseUrl: services.gateway.publicUrl ?? "",
      grpc: {
        beneficiary: services.beneficiary.url,
        compliance: services.compliance.url,
        quote: services.quote.url,
        payout: services.payout.url,
        notifier: services.notifier.url,
        gateway: services.gateway.url,
      },
      serviceToken: secrets.serviceToken,
      path: sandboxPath,
    });
    const brokerKind = broker?.kind ?? "in process";
    return { sandbox, sandboxPath, engineKind: engine.kind, brokerKind, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function openLog(config: ReturnType<typeof readConfig>): LogOutput {
  const { DATA_DIR: dataDir, LOG_FORMAT, LOG_LEVEL: level } = config;
  // `isTTY` is not there where it is not true.
  const isTerminal = Boolean(process.stdout.isTTY);
  const format = LOG_FORMAT ?? (isTerminal ? "pretty" : "json");
  const out = pino.destination({ fd: 1, sync: true });
  return openLogOutput({ out, dataDir, format, colors: isTerminal, level });
}

function started<T>(part: PromiseSettledResult<T>): T {
  if (part.status === "rejected") throw part.reason;
  return part.value;
}

async function choosePorts(publicPort: number): Promise<Ports> {
  const [compliance = 0, beneficiary = 0, notifier = 0, quote = 0, payout = 0, gateway = 0] =
    await freePorts(6);
  return { compliance, beneficiary, notifier, quote, payout, gateway, public: publicPort };
}
