import type { Environment } from "@disburse/chassis/settings.ts";
import { brokerServices, brokerUrlOf } from "./broker/users.ts";
import { issuerSettings } from "./people.ts";
import { encryptionKeysOf, type Secrets } from "./secrets.ts";
import { eachService, type ServiceName } from "./service-names.ts";

export type Ports = Readonly<Record<ServiceName | "public", number>> & {
  readonly operators?: number;
};

export type MachineOptions = {
  readonly host: string;
  /** The gateway's host name for merchants, if it differs from `host`. */
  readonly publicHost?: string;
  readonly ports: Ports;
  readonly replicas?: readonly Ports[];
  /** Ports for probes and metrics. By default the system chooses them. */
  readonly adminPorts?: Readonly<Record<ServiceName, number>>;
  readonly secrets: Secrets;
  readonly issuer?: string;
  /**
   * Ports of the database and broker. Webhooks may not be sent to these ports, or to the platform's
   * own.
   */
  readonly partPorts?: readonly number[];
  readonly mongodbUri: (database: string) => string;
  /** The destination for signed heads of the audit trails. By default no heads are shipped. */
  readonly auditSink?: string;
  /** Absent if the services share a process and its in-memory bus. */
  readonly amqpUrl?: string;
  /** True if the broker has a separate user for each service, created by `brokerDefinitions`. */
  readonly hasBrokerUsers?: boolean;
  /** A prefix for the name of every database, so that several platforms can share an engine. */
  readonly databasePrefix?: string;
  /** Further settings for every service, such as the log level or sandbox timings. */
  readonly settings?: Environment;
};

/** Returns the environment of each service for a platform on one machine. */
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
  // A port chosen by the system is not known yet.
  const issuerPorts = issuer === undefined ? {} : { issuer: Number(new URL(issuer).port) };
  const all = [...replicas, adminPorts, issuerPorts, { ...partPorts }];
  const ownPorts = all.flatMap((each): number[] => Object.values(each));
  return {
    ...eachService(common),
    notifier: {
      ...common("notifier"),
      GATEWAY_URL: url("gateway"),
      ...consoleUrl(options),
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

/** Without an issuer, no one can sign in to the console. */
function consoleUrl({ host, publicHost = host, ports, issuer }: MachineOptions): Environment {
  return issuer === undefined
    ? {}
    : { CONSOLE_URL: `http://${browserHost(publicHost)}:${ports.public}` };
}

function consoleSettings(options: MachineOptions): Environment {
  const { host, ports, issuer } = options;
  const { operators } = ports;
  const operatorProxy = operators !== undefined && {
    OPERATORS_HOST: host,
    OPERATORS_PORT: String(operators),
    OPERATORS_URL: `http://${browserHost(host)}:${operators}`,
  };
  if (issuer === undefined) return { ...operatorProxy };
  return {
    ...operatorProxy,
    ...consoleUrl(options),
    MEMBERS_OIDC_ISSUER: issuer,
    OPERATORS_OIDC_ISSUER: issuer,
  };
}

/**
 * Returns the host that browsers use. 0.0.0.0 becomes 127.0.0.1, because browsers can't connect to
 * 0.0.0.0.
 */
function browserHost(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}

/** Returns no settings for a service that exchanges no events. */
function brokerSettings(options: MachineOptions, service: ServiceName): Environment {
  const { amqpUrl, hasBrokerUsers = false, secrets } = options;
  if (amqpUrl === undefined) return {};
  if (!hasBrokerUsers) return { AMQP_URL: amqpUrl };
  if (!brokerServices.includes(service)) return {};
  return { AMQP_URL: brokerUrlOf(amqpUrl, service, secrets.brokerPasswords) };
}
