import { setTimeout as pause } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import type { MongoClient } from "mongodb";
import type { z } from "zod";
import {
  createDatabaseCheck,
  createLifecycle,
  type Lifecycle,
  showReadiness,
} from "../admin/lifecycle.ts";
import { startAdminServer } from "../admin/server.ts";
import { connectAmqpBus } from "../amqp/bus.ts";
import type { BusSettings } from "../amqp/settings.ts";
import { traceBus } from "../amqp/spans.ts";
import { openAuditSink, startAudit } from "../audit/open.ts";
import type { HeadSource } from "../audit/shipping.ts";
import type { Bus } from "../bus/bus.ts";
import { withOwnRing } from "../crypto/settings.ts";
import { type Identity, openIdentity } from "../identity/open.ts";
import { openProcessTls } from "../identity/open-tls.ts";
import { createLifetime, type Lifetime } from "../lifetime.ts";
import { createLog, type Log, type LogDestination } from "../log.ts";
import { showLoops } from "../loop.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { connectDatabase, type Database, isDatabaseUnavailable } from "../mongo/database.ts";
import { batchMetrics } from "../mongo/grouping/observe.ts";
import { memberMetrics } from "../mongo/member-metrics.ts";
import { assertMigrated, type Migration, migrateDatabase } from "../mongo/migrations.ts";
import { poolMetrics } from "../mongo/pool-metrics.ts";
import { openOperationBindings } from "../mutations/bindings.ts";
import { watchRejections } from "../rejections.ts";
import { showRelease } from "../release.ts";
import { observeClients } from "../rpc/balancing/observe.ts";
import { type As, connectService, peerOf } from "../rpc/client.ts";
import { type RpcServerOptions, startRpcServer } from "../rpc/server.ts";
import { type Environment, readSettings, type ServiceUrls, SettingsError } from "../settings.ts";
import type { SpanMemory } from "../tracing/memory.ts";
import { openTracing } from "../tracing/open.ts";
import type { Tracing } from "../tracing/tracing.ts";
import { assertSafeBackends, assertSafeService } from "./backends.ts";
import { checkService, type RailServer } from "./check.ts";
import { type Finding, printFindings } from "./finding.ts";
import { servedByAll, servedIn } from "./served-by-all.ts";
import { commonSettings, databaseSetting } from "./settings.ts";

export type RunningService = {
  readonly url: string;
  /** The URL of the public routes. Only the gateway has public routes. */
  readonly publicUrl?: string;
  /** The URL of the probes and metrics. */
  readonly adminUrl: string;
  /** The maximum duration of `stop`, in milliseconds. */
  readonly stopTimeoutMs: number;
  /** Drains for `SHUTDOWN_DELAY_SECONDS`, then waits for running work and closes. */
  stop(): Promise<void>;
};

/** Resources that services in the same process share (`npm start`). */
export type Shared = {
  /** A bus to use instead of the broker at `AMQP_URL`. */
  readonly bus?: Bus | undefined;
  /**
   * Present if the broker at `AMQP_URL` is still starting. Resolves when the broker accepts
   * connections.
   */
  readonly brokerStarted?: Promise<unknown>;
  readonly logTo?: LogDestination;
};

/** The type of the start function that each service's `main.ts` exports. */
export type StartService = {
  /** Starts the service when its database is available. Rejects if a migration is missing. */
  (environment: Environment, shared?: Shared): Promise<RunningService>;
  /** Migrates the service's database. Needs only the database's settings. */
  readonly migrate: (environment: Environment) => Promise<void>;
  /** Checks the settings and everything that the service connects to. Changes nothing. */
  readonly check: (environment: Environment) => Promise<Finding[]>;
};

type Settings = z.output<z.ZodObject<typeof commonSettings>> &
  Partial<BusSettings> & { readonly DATABASE: string };

type Served = Pick<RpcServerOptions, "services" | "routes"> &
  Partial<Pick<RpcServerOptions, "host" | "port">>;

/** Opens the parts of a service. They are closed when the service stops. */
export type Opening<Config extends Settings> = ReturnType<typeof prepare<Config>>;

/**
 * Creates a service's `start`. If a part fails to open, the parts that are already open are closed.
 */
export function serviceStart<Config extends Settings>(
  name: string,
  readConfig: (environment: Environment) => Config | Promise<Config>,
  migrations: readonly Migration[],
  open: (opening: Opening<Config>) => Promise<Pick<RunningService, "url" | "publicUrl">>,
  /** Returns the servers of the rails that the settings configure. */
  serversOf: (config: Config) => readonly RailServer[] = () => [],
): StartService {
  const start = async (environment: Environment, shared?: Shared) => {
    const config = await readConfig(withOwnRing(environment, name));
    assertSafeBackends(config);
    const log = createLog(name, config.LOG_LEVEL, shared?.logTo);
    const metrics = createMetrics(name);
    showRelease(metrics, config.BUILD_COMMIT);
    showLoops(log, metrics);
    const lifetime = createLifetime(log);
    lifetime.add("rejections", watchRejections(log, metrics));
    let opened: Database | undefined;
    const isReady = async () => (await opened?.ready()) ?? false;
    const lifecycle = createLifecycle(createDatabaseCheck(isReady));
    showReadiness(metrics, lifecycle);
    try {
      const { ADMIN_HOST: host, ADMIN_PORT: port } = config;
      const admin = await startAdminServer({ host, port, metrics, lifecycle });
      lifetime.add("admin port", admin.stop);
      const sink = await openAuditSink(config, log);
      const { stop: stopIdentity, ...identity } = openIdentity(name, config, environment, log);
      lifetime.add("identity", stopIdentity);
      const tls = openProcessTls(name, config, { log, metrics, lifetime });
      const traces = await openTracing(name, config, log);
      // The traces are closed after everything that creates spans.
      if (traces !== undefined) lifetime.add("traces", traces.stop);
      const database = await openDatabase(config, migrations, log, metrics);
      lifetime.add("database", database.close);
      opened = database;
      const traced = { tracing: traces?.tracing, spans: traces?.memory };
      const sources: HeadSource[] = [];
      const audit = startAudit({
        service: name,
        settings: config,
        sink,
        key: identity.serviceKey,
        sweepPending: openOperationBindings(database).sweepPending,
        database,
        log,
        metrics,
        sources,
      });
      lifetime.add("audit", audit.stop);
      const running = { log, metrics, ...traced, identity, tls, lifetime, lifecycle, database };
      const urls = await open(prepare(config, { name, ...running, sources }, shared));
      lifecycle.started();
      const delayMs = config.SHUTDOWN_DELAY_SECONDS * 1_000;
      const end = async () => {
        lifecycle.drain();
        if (delayMs > 0) await pause(delayMs);
        await lifetime.end();
      };
      let ending: Promise<void> | undefined;
      const stop = () => (ending ??= end());
      const stopTimeoutMs = delayMs + endTimeoutMs;
      return { ...urls, adminUrl: admin.url, stopTimeoutMs, stop };
    } catch (error) {
      await lifetime.end();
      throw error;
    }
  };
  const migrate = async (environment: Environment) => {
    const { MONGODB_URI, LOG_LEVEL } = commonSettings;
    const shape = { MONGODB_URI, LOG_LEVEL, DATABASE: databaseSetting(name) };
    const settings = readSettings(environment, shape);
    const place = { uri: settings.MONGODB_URI, name: settings.DATABASE };
    await migrateDatabase(place, migrations, createLog(name, settings.LOG_LEVEL));
  };
  const check = (environment: Environment) =>
    checkService({
      service: name,
      environment,
      migrations,
      readSettings: async () => serversOf(await readConfig(withOwnRing(environment, name))),
    });
  return Object.assign(start, { migrate, check });
}

/** The pause before a starting process tries its database again. */
const databaseRetryMs = 1_000;

const singleWritesWarning =
  "the database is older than MongoDB 8.0: each write is its own command and costs several times as much as in a batch; use MongoDB 8.0 or later in production";

/** Waits until the database is available. Rejects if a migration is missing. */
async function openDatabase(
  config: Settings,
  migrations: readonly Migration[],
  log: Log,
  metrics: Metrics,
): Promise<Database> {
  const observe = batchMetrics(metrics);
  const watchers = [poolMetrics(metrics), memberMetrics(metrics)];
  const watch = (client: MongoClient) => {
    for (const watcher of watchers) watcher(client);
  };
  for (;;) {
    let database: Database | undefined;
    try {
      database = await connectDatabase(config.MONGODB_URI, config.DATABASE, { observe, watch });
      await assertMigrated(database, migrations);
      if (!database.isBulk) log.warn({}, singleWritesWarning);
      return database;
    } catch (error) {
      await database?.close();
      if (!isDatabaseUnavailable(error)) throw error;
      log.warn({ reason: (error as Error).name }, "the database does not respond; waiting for it");
      await pause(databaseRetryMs);
    }
  }
}

function prepare<Config extends Settings>(
  config: Config,
  parts: {
    readonly name: string;
    readonly log: Log;
    readonly metrics: Metrics;
    readonly tracing: Tracing | undefined;
    readonly spans: SpanMemory | undefined;
    readonly identity: Identity;
    readonly tls: RpcServerOptions["tls"];
    readonly lifetime: Lifetime;
    readonly lifecycle: Lifecycle;
    readonly database: Database;
    readonly sources: HeadSource[];
  },
  shared: Shared | undefined,
) {
  const { name, log, metrics, tracing, tls, lifetime, lifecycle, sources } = parts;
  const { identity, verify, stepUp } = parts.identity;
  const { HOST: host, PORT: port } = config;
  const observe = observeClients(metrics, log);
  const ofAll = servedByAll(name, parts);
  const startServer = (served: Served) => {
    const { isReady: ready, draining } = lifecycle;
    const { watchPrimary } = parts.database;
    const common = { host, port, verify, stepUp, tls, log, metrics, tracing, ready, draining };
    const { services, routes } = servedIn(config.DISBURSE_MODE, served);
    return startRpcServer({
      ...common,
      watchPrimary,
      ...served,
      services: [...services, ...ofAll.services],
      routes: (router) => ofAll.register(router, routes),
    });
  };
  return {
    ...parts,
    config,
    /** Returns the process's shared bus, or connects to the broker if there is none. */
    openBus: async (settings: BusSettings) => {
      if (shared?.bus !== undefined) return shared.bus;
      const { AMQP_URL: url, BUS_NAMESPACE: namespace } = settings;
      if (url === undefined) throw new SettingsError("settings: AMQP_URL: is required");
      const bus = await connectAmqpBus({
        url,
        namespace,
        service: name,
        keys: parts.identity,
        log,
        metrics,
        after: shared?.brokerStarted,
      });
      lifetime.add("bus", bus.stop);
      return tracing === undefined ? bus : traceBus(bus, tracing, { namespace, service: name });
    },
    /**
     * Creates a client of another service. The client calls as this service, unless `as` contains
     * another identity.
     */
    connect: <S extends DescService>(service: S, urls: ServiceUrls, ms?: number, as?: As) => {
      assertSafeService(config, as?.peer ?? peerOf(service), urls);
      const options = { identity, tls, tracing, observe, ...(ms && { timeoutMs: ms }), ...as };
      const { rpc, close } = connectService(service, urls, options);
      lifetime.add(`client of ${service.typeName}`, close);
      return rpc;
    },
    /**
     * Signs and ships the heads of further hash chains, in addition to those of the audit trail.
     */
    ship: (source: HeadSource) => void sources.push(source),
    /** Starts a server of RPCs, including those of the audit trail. The caller must stop it. */
    startServer,
    /** Serves RPCs, by default at the address in the settings. */
    serve: async (served: Served) => {
      const server = await startServer(served);
      lifetime.add("server", server.stop);
      return server;
    },
  };
}

/** The exit code of a process that did not start, or did not stop in time. */
const failedCode = 1;
/**
 * The time limit of a stop: running calls get 20 s, and background work finishes its current run.
 * After this time the process exits.
 */
const endTimeoutMs = 30_000;

/**
 * Runs a service in this process until SIGTERM or SIGINT. If the service fails to start, the
 * process exits. With the argument `migrate`, the process migrates the service's database and then
 * exits. With `check`, it checks what the service needs, prints all findings and exits.
 */
export async function runService(name: string, start: StartService): Promise<void> {
  const log = createLog(name, process.env.LOG_LEVEL ?? "info");
  const [command, ...flags] = process.argv.slice(2);
  if (command === "migrate") return runMigrations(start, log);
  if (command === "check") {
    const findings = await start.check(process.env);
    process.exit(printFindings(findings, flags.includes("--json")));
  }
  let service: RunningService | undefined;
  let stopping = false;
  const stop = () => {
    if (stopping) process.exit(failedCode);
    stopping = true;
    log.info({}, "service stopping");
    // The service has not started, so no call is running.
    if (service === undefined) process.exit(0);
    setTimeout(() => {
      log.error({}, "service did not stop in time");
      process.exit(failedCode);
    }, service.stopTimeoutMs).unref();
    service.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, "stopping the service failed");
        process.exit(failedCode);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  try {
    service = await start(process.env);
  } catch (error) {
    log.fatal({ err: error }, "service did not start");
    process.exit(failedCode);
  }
  const { url, publicUrl, adminUrl } = service;
  log.info({ url, public_url: publicUrl, admin_url: adminUrl }, "service ready");
}

async function runMigrations({ migrate }: StartService, log: Log): Promise<void> {
  try {
    await migrate(process.env);
  } catch (error) {
    log.fatal({ err: error }, "migrating the database failed");
    process.exit(failedCode);
  }
  log.info({}, "database migrated");
}
