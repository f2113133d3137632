import type { Environment } from "@disburse/chassis/settings.ts";
import { freePorts } from "@disburse/embedded/free-ports.ts";
import {
  eachService,
  type Ports,
  type ServiceName,
  serviceEnvironments,
  serviceNames,
} from "@disburse/sandbox/environments.ts";
import { generateSecrets } from "@disburse/sandbox/secrets.ts";
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
}

/** Settings for load: no request is refused for its rate. */
export const unlimitedRate: Environment = {
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
};

/** Chooses ports and secrets. No service runs yet: `startAll` or `start` starts them. */
export async function configureServices(options: PlatformOptions) {
  const { settings, busNamespace, ...places } = options;
  const chosen = await freePorts(2 * serviceNames.length + 1);
  const names = [...serviceNames, "public"] as const;
  const ports = Object.fromEntries(names.map((name) => [name, chosen.pop() ?? 0])) as Ports;
  const adminPorts = eachService(() => chosen.pop() ?? 0);
  const secrets = generateSecrets();
  const environments = serviceEnvironments({
    ...places,
    ...{ host: "127.0.0.1", ports, adminPorts, secrets },
    settings: { BUS_NAMESPACE: busNamespace, ...settings },
  });
  const url = (service: ServiceName | "public") => `http://127.0.0.1:${ports[service]}`;
  return {
    ...createServiceProcesses(environments),
    options,
    secrets,
    /** The gateway's public address. */
    baseUrl: url("public"),
    /** Where a service's RPCs are served. */
    url: (service: ServiceName) => url(service),
    /** Where a service shows its probes and metrics. */
    adminUrl: (service: ServiceName) => `http://127.0.0.1:${adminPorts[service]}`,
    /** The name of a service's database. */
    database: (service: ServiceName) => `${options.databasePrefix}${service}`,
    /** Starts a second process of a service; the caller stops it. */
    startBeside: async (service: ServiceName) => {
      const [port, adminPort] = await freePorts(2);
      const places = { PORT: String(port), ADMIN_PORT: String(adminPort) };
      const own = { ...environments[service], ...places };
      const beside = createServiceProcesses({ ...environments, [service]: own });
      await beside.start(service);
      return beside;
    },
  };
}
