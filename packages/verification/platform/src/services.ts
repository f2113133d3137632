import type { Environment } from "@disburse/chassis/settings.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { type Ports, serviceEnvironments } from "@disburse/sandbox/environments.ts";
import { generateSecrets } from "@disburse/sandbox/secrets.ts";
import { eachService, type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { createServiceProcesses } from "./processes.ts";

/** Where a platform's databases and events are, and how its services are set. */
export interface PlatformOptions {
  /** The connection string of a database, as the services use it. */
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  readonly databasePrefix: string;
  /** Prefix of exchange and queues. */
  readonly busNamespace: string;
  /** Settings that every service gets: log level, rate limits, timings of the sandbox. */
  readonly settings?: Environment;
  /** Processes of each service; one by default. */
  readonly replicas?: number;
  /** Keeps about this many of a service's last log chunks; all by default. */
  readonly logChunksMax?: number;
}

/** Settings for load: no request is refused for its rate. */
export const unlimitedRate: Environment = {
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
};

/** Where the parts of one replica of the platform listen. */
async function choosePorts() {
  const chosen = await freePorts(2 * serviceNames.length + 2);
  const names = [...serviceNames, "public", "operators"] as const;
  const ports = Object.fromEntries(names.map((name) => [name, chosen.pop() ?? 0])) as Ports;
  return { ports, adminPorts: eachService(() => chosen.pop() ?? 0) };
}

/** The services once more, each a process beside the first one. */
export type Replica = ReturnType<typeof replicaOf>;

function replicaOf(
  environments: Readonly<Record<ServiceName, Environment>>,
  { ports, adminPorts }: Awaited<ReturnType<typeof choosePorts>>,
  logChunksMax: number | undefined,
) {
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return {
    ...createServiceProcesses(environments, logChunksMax),
    /** The gateway's public address. */
    baseUrl: url(ports.public),
    /** Where operators reach it. */
    operatorsUrl: url(ports.operators ?? 0),
    /** Where a service's RPCs are served. */
    url: (service: ServiceName) => url(ports[service]),
    /** Where a service shows its probes and metrics. */
    adminUrl: (service: ServiceName) => url(adminPorts[service]),
  };
}

/** Chooses ports and secrets. No service runs yet: `startAll` or `start` starts them. */
export async function configureServices(options: PlatformOptions) {
  const { settings, busNamespace, replicas: count = 1, logChunksMax, ...places } = options;
  const chosen: Awaited<ReturnType<typeof choosePorts>>[] = [];
  for (let at = 0; at < count; at += 1) chosen.push(await choosePorts());
  const secrets = generateSecrets();
  const [issuerPort = 0] = await freePorts(1);
  const environmentsOf = (own: (typeof chosen)[number]) =>
    serviceEnvironments({
      ...places,
      host: "127.0.0.1",
      ...own,
      replicas: chosen.map(({ ports }) => ports),
      secrets,
      issuer: `http://127.0.0.1:${issuerPort}`,
      settings: { BUS_NAMESPACE: busNamespace, ...settings },
    });
  const replicas = chosen.map((own) => replicaOf(environmentsOf(own), own, logChunksMax));
  const [first] = replicas;
  const [own] = chosen;
  if (first === undefined || own === undefined) throw new Error("a platform has one replica");
  const environments = environmentsOf(own);
  return {
    ...first,
    /** All replicas, the first of which is this platform's; the others are started by hand. */
    replicas,
    options,
    secrets,
    /** Where people sign in, where a test starts the sandbox's provider there. */
    issuerPort,
    stop: async (): Promise<void> => {
      await Promise.all(replicas.map((each) => each.stop()));
    },
    /** The name of a service's database. */
    database: (service: ServiceName) => `${options.databasePrefix}${service}`,
    /** Starts a second process of a service; the caller stops it. */
    startBeside: async (service: ServiceName) => {
      const [port, adminPort] = await freePorts(2);
      const beside = createServiceProcesses({
        ...environments,
        [service]: {
          ...environments[service],
          PORT: String(port),
          ADMIN_PORT: String(adminPort),
        },
      });
      await beside.start(service);
      return beside;
    },
  };
}
