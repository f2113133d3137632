import type { Environment } from "@disburse/chassis/settings.ts";
import { brokerServices, brokerUrlOf } from "./broker/users.ts";
import { issuerSettings } from "./people.ts";
import { encryptionKeysOf, type Secrets } from "./secrets.ts";
import { eachService, type ServiceName } from "./service-names.ts";

/** The port of each service; `public` is the gateway's public one. */
export type Ports = Readonly<Record<ServiceName | "public", number>> & {
  /** Of the operators' door, where it is open. */
  readonly operators?: number;
};

/** What the services of one machine are configured from. */
export type MachineOptions = {
  /** Where the services listen. */
  readonly host: string;
  /** Where merchants reach the gateway, where that is another address. */
  readonly publicHost?: string;
  readonly ports: Ports;
  /** The ports of every replica, where there are several; those of this one among them. */
  readonly replicas?: readonly Ports[];
  /** Where each shows its probes and metrics; the system chooses where this is left out. */
  readonly adminPorts?: Readonly<Record<ServiceName, number>>;
  readonly secrets: Secrets;
  /** The URL of the OpenID provider, where there is one beside the services. */
  readonly issuer?: string;
  /** Ports of the database and the broker; with them, no webhook may go to the platform itself. */
  readonly partPorts?: readonly number[];
  /** The connection string of each service's own database. */
  readonly mongodbUri: (database: string) => string;
  /** Where the heads of the audit trails are shipped to; absent: nowhere. */
  readonly auditSink?: string;
  /** Absent where the services share a process and a bus in it. */
  readonly amqpUrl?: string;
  /** Whether the broker has a user for each service, made of `brokerDefinitions`. */
  readonly hasBrokerUsers?: boolean;
  /** Prefix of every database's name, so that platforms can share an engine. */
  readonly databasePrefix?: string;
  /** Settings of every service: log level, timings of the sandbox, … */
  readonly settings?: Environment;
};

/** The environment of each service of a platform on one machine. */
export function serviceEnvironments(options: MachineOptions): Record<ServiceName, Environment> {
  const { host, ports, secrets, databasePrefix = "disburse_" } = options;
  const { replicas = [ports] } = options;
  const url = (service: ServiceName) =>
    replicas.map((each) => `http://${host}:${each[service]}`).join(",");
  const common = (service: ServiceName): Environment => ({
    ...options.settings,
    DISBURSE_MODE: "sandbox",
    HOST: host,
    PORT: String(ports[service]),
    ADMIN_PORT: String(options.adminPorts?.[service] ?? 0),
    MONGODB_URI: options.mongodbUri(`${databasePrefix}${service}`),
    DATABASE: `${databasePrefix}${service}`,
    SERVICE_KEY: secrets.serviceKeys[service],
    TRUSTED_KEYS: secrets.trustedKeys,
    ...issuerSettings(secrets.issuerKey, options.issuer),
    ENCRYPTION_KEYS: encryptionKeysOf(secrets, service),
    ...(options.auditSink === undefined ? {} : { AUDIT_SINK: options.auditSink }),
    ...brokerSettings(options, service),
    BENEFICIARY_URL: url("beneficiary"),
    COMPLIANCE_URL: url("compliance"),
    QUOTE_URL: url("quote"),
    PAYOUT_URL: url("payout"),
    NOTIFIER_URL: url("notifier"),
  });
  const { partPorts, adminPorts = {}, issuer } = options;
  // One that the system chooses is not known yet.
  const issuerPorts = issuer === undefined ? {} : { issuer: Number(new URL(issuer).port) };
  const all = [...replicas, adminPorts, issuerPorts, { ...partPorts }];
  const ownPorts = all.flatMap((each): number[] => Object.values(each));
  return {
    ...eachService(common),
    notifier: {
      ...common("notifier"),
      ...(partPorts && { WEBHOOK_REFUSED_PORTS: ownPorts.filter((port) => port > 0).join(",") }),
    },
    gateway: {
      ...common("gateway"),
      HOST: options.publicHost ?? host,
      PORT: String(ports.public),
      RPC_HOST: host,
      RPC_PORT: String(ports.gateway),
      API_KEY_PEPPER: secrets.apiKeyPepper,
      ...consoleSettings(options),
    },
  };
}

/** How people reach the console, and where they sign in. */
function consoleSettings({ host, publicHost = host, ports, issuer }: MachineOptions): Environment {
  const { operators } = ports;
  const door = operators !== undefined && {
    OPERATORS_HOST: host,
    OPERATORS_PORT: String(operators),
    OPERATORS_URL: `http://${browserHost(host)}:${operators}`,
  };
  if (issuer === undefined) return { ...door };
  return {
    ...door,
    CONSOLE_URL: `http://${browserHost(publicHost)}:${ports.public}`,
    MEMBERS_OIDC_ISSUER: issuer,
    OPERATORS_OIDC_ISSUER: issuer,
  };
}

/** The address of this machine by which a browser on it reaches a host: none is called 0.0.0.0. */
function browserHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}

/** How a service reaches the broker; not at all where it exchanges no events. */
function brokerSettings(options: MachineOptions, service: ServiceName): Environment {
  const { amqpUrl, hasBrokerUsers = false, secrets } = options;
  if (amqpUrl === undefined) return {};
  if (!hasBrokerUsers) return { AMQP_URL: amqpUrl };
  if (!brokerServices.includes(service)) return {};
  return { AMQP_URL: brokerUrlOf(amqpUrl, service, secrets.brokerPasswords) };
}
