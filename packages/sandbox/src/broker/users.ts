import { createHash, randomBytes } from "node:crypto";
import { getOption } from "@bufbuild/protobuf";
import { brokerAddressesOf } from "@disburse/chassis/amqp/addresses.ts";
import { exchangeOf } from "@disburse/chassis/amqp/connection.ts";
import { event } from "@disburse/contracts/disburse/type/v1/event_pb.ts";
import { events } from "../events.ts";
import { type ServiceName, serviceNames } from "../service-names.ts";

const options = events.map((message) => getOption(message, event));
const publishers = [...new Set(options.flatMap((each) => each.publishers))];
/** Returns the services whose exchanges a service's queue is bound to. */
const readBy = (service: string) =>
  new Set(options.flatMap((each) => (each.consumers.includes(service) ? each.publishers : [])));

export const brokerServices: readonly ServiceName[] = serviceNames.filter(
  (name) => publishers.includes(name) || readBy(name).size > 0,
);

export type BrokerPasswords = Readonly<Partial<Record<ServiceName, string>>>;

const passwordBytes = 32;

/** Returns random passwords that need no escaping in a URL. */
export function generateBrokerPasswords(): BrokerPasswords {
  const passwords = brokerServices.map((name) => [name, randomBytes(passwordBytes)] as const);
  return Object.fromEntries(passwords.map(([name, bytes]) => [name, bytes.toString("base64url")]));
}

/** Returns the broker's addresses with a service's own credentials. */
export function brokerUrlOf(url: string, service: ServiceName, passwords: BrokerPasswords): string {
  const addresses = brokerAddressesOf(url).map((address) => {
    const own = new URL(address);
    own.username = service;
    own.password = passwords[service] ?? "";
    return own.href;
  });
  return addresses.join(",");
}

/** Extracts the passwords from existing `AMQP_URL` settings. */
export function brokerPasswordsOf(
  urlOf: (service: ServiceName) => string | undefined,
): BrokerPasswords {
  // Every address of a service has the same password.
  const passwordOf = (url: string) => new URL(brokerAddressesOf(url)[0] ?? "").password;
  const urls = brokerServices.map((name) => [name, urlOf(name)] as const);
  return Object.fromEntries(
    urls.flatMap(([name, url]) => (url === undefined ? [] : [[name, passwordOf(url)]])),
  );
}

/** The path at which containers mount the broker's settings. It replaces the image's own folder. */
const folder = "/etc/rabbitmq/conf.d";

/** Configures a broker container to load its users from `definitions.json` in the same folder. */
export const brokerConfig = `load_definitions = ${folder}/definitions.json\nlog.console = true\n`;

/**
 * Creates a broker user for each service that exchanges events. A user may configure and write its
 * own exchange and queues. It may read these and the exchanges that its queues are bound to. All
 * exchanges are declared in advance, because no service may declare another service's exchange.
 * `guest` can no longer log in. The same passwords always produce the same text.
 */
export function brokerDefinitions(passwords: BrokerPasswords, namespace = "disburse") {
  const vhost = "/";
  const nothing = { configure: "^$", write: "^$", read: "^$" };
  // The password of `guest`. Only somebody with all other passwords can derive it.
  const shutOut = { name: "guest", password: Object.values(passwords).join("") };
  const users = brokerServices.map((name) => ({ name, password: passwords[name] ?? "" }));
  return {
    vhosts: [{ name: vhost }],
    users: [shutOut, ...users].map(({ name, password }) => brokerUser(name, password)),
    permissions: [
      { user: shutOut.name, vhost, ...nothing },
      ...brokerServices.map((user) => ({ user, vhost, ...permissionsOf(user, namespace) })),
    ],
    exchanges: publishers.map((publisher) => ({
      name: exchangeOf(namespace, publisher),
      vhost,
      type: "topic",
      durable: true,
      auto_delete: false,
      internal: false,
      arguments: {},
    })),
  };
}

/** Returns name patterns that a service's user may configure, write and read. */
function permissionsOf(service: ServiceName, namespace: string) {
  const own = `^${namespace}\\.${service}\\.(events|inbox|dead)$`;
  const queues = [`${service}\\.inbox`, `${service}\\.dead`];
  const exchanges = [...readBy(service)].map((publisher) => `${publisher}\\.events`);
  const read = `^${namespace}\\.(${[...queues, ...exchanges].join("|")})$`;
  return { configure: own, write: own, read: exchanges.length === 0 ? "^$" : read };
}

/** RabbitMQ stores 4 bytes of salt, followed by SHA-256 of the salt and password. */
function brokerUser(name: string, password: string) {
  const salt = createHash("sha256").update(`${name} ${password}`).digest().subarray(0, 4);
  const digest = createHash("sha256").update(salt).update(password).digest();
  return {
    name,
    tags: "",
    hashing_algorithm: "rabbit_password_hashing_sha256",
    password_hash: Buffer.concat([salt, digest]).toString("base64"),
  };
}
