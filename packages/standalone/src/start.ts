import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { brokerAddressesOf } from "@disburse/chassis/amqp/addresses.ts";
import { createMemoryBus } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { OtherStepsError } from "@disburse/chassis/mongo/migrations.ts";
import type { Environment } from "@disburse/chassis/settings.ts";
import { type BrokerOptions, startBroker } from "@disburse/embedded/broker.ts";
import { startEngine } from "@disburse/embedded/engine.ts";
import { assertPortFree, freePorts } from "@disburse/embedded/free-ports.ts";
import { brokerDefinitions } from "@disburse/sandbox/broker/users.ts";
import { serviceEnvironments } from "@disburse/sandbox/environments.ts";
import { startIssuer } from "@disburse/sandbox/issuer/server.ts";
import { startMailCatcher } from "@disburse/sandbox/mail-catcher.ts";
import { createSandbox } from "@disburse/sandbox/sandbox-file.ts";
import { sandboxIdentity } from "@disburse/sandbox/secrets.ts";
import { eachService, serviceNames } from "@disburse/sandbox/service-names.ts";
import { pino } from "pino";
import { readConfig, readPreviousPorts, readSecrets, sandboxFile } from "./config.ts";
import { openLogOutput } from "./log-output.ts";
import { migrateServices } from "./migrations.ts";
import { OtherVersionError } from "./other-version.ts";
import { startServices } from "./services.ts";

/**
 * A running platform with embedded engine and broker. `stop` ends its services, broker and engine.
 */
export type Standalone = Awaited<ReturnType<typeof startStandalone>>;

/**
 * The size of the engine's cache. With 256 MB, the platform needs 700 MB of memory at 20,000
 * payouts. With this limit its memory doesn't grow.
 */
const cacheMegabytes = 64;

/**
 * The folder for signed audit heads. It is outside of the database, because the heads are evidence
 * of operators' changes in the database.
 */
const auditFolder = "audit";

/** The host of the services' own ports. `HOST` applies only to the gateway. */
const loopback = "127.0.0.1";

/**
 * Starts the platform and creates its sandbox. Calls `onLost` if the engine or the broker ends
 * unexpectedly, and `onStep` before each step that takes seconds.
 */
export async function startStandalone(
  environment: Environment,
  root: string,
  onLost: (message: string) => void,
  onStep: (step: string) => void = () => undefined,
) {
  const config = readConfig(environment, root);
  const { DATA_DIR: dataDir } = config;
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  };
  const lost = (part: string) => (how: string) => onLost(`The ${part} has ended: ${how}.`);
  try {
    await assertPortFree(config.HOST, config.PORT);
    onStep("Starting the database and the message broker …");
    const secrets = readSecrets(dataDir);
    const previousPorts = readPreviousPorts(dataDir);
    const env = { ...environment };
    const definitions = brokerDefinitions(secrets.brokerPasswords);
    const ofBroker = { dataDir, env, definitions, onExit: lost("message broker") };
    const broker = startBrokerBeside(ofBroker, onLost);
    ends.push(broker.stop);
    const onExit = lost("database engine");
    const engine = await startEngine({ dataDir, env, cacheMegabytes, onExit });
    ends.push(engine.stop);
    // The engine has locked the data folder, so no other platform writes to this log.
    const log = openLog(config);
    ends.push(async () => log.close());
    const amqpUrl = await broker.url;
    const brokerKind = brokerKindOf(amqpUrl, environment);
    const sandboxPath = join(dataDir, sandboxFile);
    const issuerLog = createLog("issuer", log.level, log.destination);
    const ports = await freePorts(2 * serviceNames.length + 2, previousPorts);
    const port = () => ports.shift() ?? 0;
    const mails = await startMails(config);
    ends.push(mails.stop);
    // The pages' URLs contain the port, so it is known before the gateway listens.
    const [publicPort] = config.PORT === 0 ? await freePorts(1) : [config.PORT];
    const { issuerKey } = secrets;
    const issuer = await startIssuer({ port: ports.pop() ?? 0, issuerKey, log: issuerLog });
    ends.push(issuer.stop);
    const environments = serviceEnvironments({
      host: loopback,
      publicHost: config.HOST,
      issuer: issuer.url,
      partPorts: [...broker.ports(), ...partPortsOf(engine.uri("admin"), amqpUrl), ...mails.ports],
      ports: { ...eachService(port), public: publicPort ?? 0, operators: ports.pop() ?? 0 },
      adminPorts: eachService(port),
      secrets,
      mongodbUri: engine.uri,
      auditSink: pathToFileURL(resolve(dataDir, auditFolder)).href,
      ...(amqpUrl === undefined ? {} : { amqpUrl, hasBrokerUsers: brokerKind === "private" }),
      settings: { ...settingsOf(config), ...mails.settings, LOG_LEVEL: log.level },
    });
    const bus = amqpUrl === undefined ? createMemoryBus() : undefined;
    if (bus !== undefined) ends.push(bus.stop);
    const shared = { bus, brokerStarted: broker.started, logTo: log.destination };
    const logOf = (name: string) => createLog(name, log.level, log.destination);
    onStep("Preparing the databases …");
    await migrateServices(environments, logOf).catch(otherVersionOf(dataDir, engine.kind));
    onStep("Starting the services …");
    const services = await startServices(environments, shared, ends);
    onStep("Creating the sandbox's merchants …");
    const sandbox = await createSandbox({
      baseUrl: services.gateway.publicUrl ?? "",
      grpc: eachService((name) => services[name].url),
      admin: eachService((name) => services[name].adminUrl),
      identity: sandboxIdentity(secrets),
      issuerKey,
      issuer: issuer.url,
      console: consoleUrls(environments.gateway),
      path: sandboxPath,
    });
    const parts = { engineKind: engine.kind, brokerKind, mailFolder: mails.folder } as const;
    return { sandbox, sandboxPath, ...parts, stop } as const;
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Adds the data folder's name to the error. The error of an external database already identifies
 * the database.
 */
const otherVersionOf = (dataDir: string, engineKind: string) => (error: unknown) => {
  const isOfFolder = error instanceof OtherStepsError && engineKind !== "external";
  throw isOfFolder ? new OtherVersionError(dataDir) : error;
};

/**
 * The folder for e-mails. No e-mail leaves the sandbox unless the settings name a mail server.
 */
const mailFolder = "mails";

/** Starts a mail server that writes e-mails to files, if the settings name none. */
async function startMails({ DATA_DIR, passedOn }: ReturnType<typeof readConfig>) {
  if (passedOn.SMTP_URL || passedOn.SMTP_URL_FILE) {
    return { settings: {}, ports: [], folder: undefined, stop: async () => undefined };
  }
  const folder = join(DATA_DIR, mailFolder);
  const { url, port, stop } = await startMailCatcher(folder);
  const settings = {
    SMTP_URL: url,
    MAIL_FROM: passedOn.MAIL_FROM || "Disburse sandbox <disburse@sandbox.example>",
    MAIL_DIGEST_SECONDS: passedOn.MAIL_DIGEST_SECONDS || "10",
  };
  return { settings, ports: [port], folder, stop };
}

function settingsOf(config: ReturnType<typeof readConfig>): Environment {
  const { passedOn, SANDBOX_SETTLE_MS, TRACE_MEMORY_SPANS } = config;
  return {
    ...passedOn,
    SANDBOX_SETTLE_MS: String(SANDBOX_SETTLE_MS),
    TRACE_MEMORY_SPANS: String(TRACE_MEMORY_SPANS),
  };
}

function consoleUrls({ CONSOLE_URL, OPERATORS_URL }: Environment) {
  return { members: `${CONSOLE_URL}/console/`, operators: `${OPERATORS_URL}/console/` };
}

function openLog(config: ReturnType<typeof readConfig>) {
  const { DATA_DIR: dataDir, LOG_FORMAT, LOG_LEVEL: level } = config;
  // Converted because `isTTY` is undefined rather than false without a terminal.
  const isTerminal = Boolean(process.stdout.isTTY);
  const format = LOG_FORMAT ?? (isTerminal ? "pretty" : "json");
  const out = pino.destination({ fd: 1, sync: true });
  return openLogOutput({ out, dataDir, format, colors: isTerminal, level });
}

/**
 * Starts the broker in parallel with the services, because it takes longer than everything else.
 * Services get its URL immediately and connect when it is ready. Until then, events wait in their
 * outboxes.
 */
function startBrokerBeside(
  options: Omit<BrokerOptions, "onUrl">,
  onFailed: (message: string) => void,
) {
  const url = Promise.withResolvers<string | undefined>();
  let ports: readonly number[] = [];
  const onUrl = (known: string, own: readonly number[]) => {
    ports = own;
    url.resolve(known);
  };
  const start = async () => {
    const broker = await startBroker({ ...options, onUrl });
    url.resolve(broker?.url);
    if (broker?.url === (await url.promise)) return broker;
    await broker?.stop();
    throw new Error("The port of the message broker was taken by another process. Start again.");
  };
  const started = start();
  started.catch((error: unknown) => {
    url.reject(error);
    onFailed(error instanceof Error ? error.message : String(error));
  });
  url.promise.catch(() => undefined);
  return {
    url: url.promise,
    /** Returns all ports of a private broker, once its URL is known. */
    ports: () => ports,
    started,
    stop: async (): Promise<void> => {
      const broker = await started.catch(() => undefined);
      await broker?.stop();
    },
  };
}

function partPortsOf(mongodbUri: string, amqpUrl: string | undefined): number[] {
  const brokers = amqpUrl === undefined ? [] : brokerAddressesOf(amqpUrl);
  return [...portsOf(mongodbUri, 27_017), ...brokers.flatMap((address) => portsOf(address, 5_672))];
}

/** Returns the ports in a URL, which may have several hosts. Returns none for socket paths. */
function portsOf(url: string, byDefault: number): number[] {
  const [, hosts = ""] = /^\w+(?:\+\w+)?:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url) ?? [];
  const each = hosts.split(",").filter((host) => host !== "" && !/%2f/i.test(host));
  return each.map((host) => Number(/:(\d+)$/.exec(host)?.[1] ?? byDefault));
}

function brokerKindOf(amqpUrl: string | undefined, { AMQP_URL = "" }: Environment) {
  if (amqpUrl === undefined) return "in process";
  return AMQP_URL === "" ? "private" : "external";
}
