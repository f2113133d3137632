import type { Environment } from "@disburse/chassis/settings.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import { type Ports, serviceEnvironments } from "@disburse/sandbox/environments.ts";
import { generateSecrets } from "@disburse/sandbox/secrets.ts";
import { eachService, type ServiceName, serviceNames } from "@disburse/sandbox/service-names.ts";
import { createServiceProcesses } from "./processes.ts";

export interface PlatformOptions {
  /** Returns a database's connection string for the services. */
  readonly mongodbUri: (database: string) => string;
  readonly amqpUrl: string;
  readonly databasePrefix: string;
  readonly busNamespace: string;
  /** Applies to every service: log level, rate limits, sandbox timings. */
  readonly settings?: Environment;
  /** Number of processes of each service. Defaults to one. */
  readonly replicas?: number;
  /** Approximate number of log chunks kept for each service. Keeps all by default. */
  readonly logChunksMax?: number;
  /** The checkout whose services run, each from its `main.ts`. Defaults to this one. */
  readonly checkout?: string;
}

/** For load tests: no request exceeds its rate limit. */
export const unlimitedRate: Environment = {
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
};

async function choosePorts() {
  const chosen = await freePorts(2 * serviceNames.length + 2);
  const names = [...serviceNames, "public", "operators"] as const;
  const ports = Object.fromEntries(names.map((name) => [name, chosen.pop() ?? 0])) as Ports;
  return { ports, adminPorts: eachService(() => chosen.pop() ?? 0) };
}

export type Replica = ReturnType<typeof replicaOf>;

function replicaOf(
  environments: Readonly<Record<ServiceName, Environment>>,
  { ports, adminPorts }: Awaited<ReturnType<typeof choosePorts>>,
  { logChunksMax, checkout }: PlatformOptions,
) {
  const url = (port: number) => `http://127.0.0.1:${port}`;
  return {
    ...createServiceProcesses(environments, logChunksMax, checkout),
    baseUrl: url(ports.public),
    operatorsUrl: url(ports.operators ?? 0),
    url: (service: ServiceName) => url(ports[service]),
    adminUrl: (service: ServiceName) => url(adminPorts[service]),
  };
}

/** Chooses ports and secrets. Starts nothing: call `startAll` or `start`. */
export async function configureServices(options: PlatformOptions) {
  const { settings, busNamespace, replicas: count = 1, ...places } = options;
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
  const replicas = chosen.map((own) => replicaOf(environmentsOf(own), own, options));
  const [first] = replicas;
  const [own] = chosen;
  if (first === undefined || own === undefined)
    throw new Error("the platform needs at least one replica");
  const environments = environmentsOf(own);
  return {
    ...first,
    /** All replicas. This platform is the first one. Start the others individually. */
    replicas,
    options,
    secrets,
    /** Tests may start the sandbox's OpenID provider on this port. */
    issuerPort,
    stop: async (): Promise<void> => {
      await Promise.all(replicas.map((each) => each.stop()));
    },
    database: (service: ServiceName) => `${options.databasePrefix}${service}`,
    /** Starts a second process of a service, which the caller must stop. */
    startBeside: async (service: ServiceName) => {
      const [port, adminPort] = await freePorts(2);
      const moved = { ...environments[service], PORT: String(port), ADMIN_PORT: String(adminPort) };
      const beside = createServiceProcesses(
        { ...environments, [service]: moved },
        options.logChunksMax,
        options.checkout,
      );
      await beside.start(service);
      return beside;
    },
  };
}
