import { createHash, randomBytes } from "node:crypto";
import { getOption } from "@bufbuild/protobuf";
import { exchangeOf } from "@disburse/chassis/amqp/connection.ts";
import { event } from "@disburse/contracts/disburse/type/v1/event_pb.ts";
import { events } from "../events.ts";
import { type ServiceName, serviceNames } from "../service-names.ts";

const options = events.map((message) => getOption(message, event));
const publishers = [...new Set(options.flatMap((each) => each.publishers))];
/** Whose exchanges a service is bound to. */
const readBy = (service: string) =>
  new Set(options.flatMap((each) => (each.consumers.includes(service) ? each.publishers : [])));

/** The services that exchange events. */
export const brokerServices: readonly ServiceName[] = serviceNames.filter(
  (name) => publishers.includes(name) || readBy(name).size > 0,
);

/** The password of each service's own user of the broker. */
export type BrokerPasswords = Readonly<Partial<Record<ServiceName, string>>>;

const passwordBytes = 32;

/** New random passwords, safe in a URL. */
export function generateBrokerPasswords(): BrokerPasswords {
  const passwords = brokerServices.map((name) => [name, randomBytes(passwordBytes)] as const);
  return Object.fromEntries(passwords.map(([name, bytes]) => [name, bytes.toString("base64url")]));
}

/** A broker's address as a service uses it: by its own user. */
export function brokerUrlOf(url: string, service: ServiceName, passwords: BrokerPasswords): string {
  const own = new URL(url);
  own.username = service;
  own.password = passwords[service] ?? "";
  return own.href;
}

/** The passwords in the addresses that services were given before. */
export function brokerPasswordsOf(
  urlOf: (service: ServiceName) => string | undefined,
): BrokerPasswords {
  const urls = brokerServices.map((name) => [name, urlOf(name)] as const);
  return Object.fromEntries(
    urls.flatMap(([name, url]) => (url === undefined ? [] : [[name, new URL(url).password]])),
  );
}

/** Where containers have the broker's settings: all files of it, in place of the image's own. */
const folder = "/etc/rabbitmq/conf.d";

/** The settings of a broker's container that reads its users from a file beside them. */
export const brokerConfig = `load_definitions = ${folder}/definitions.json\nlog.console = true\n`;

/**
 * The users of a broker, one for each service that exchanges events: it may configure and write its
 * own exchange and queues, and read these and the exchanges that it is bound to. The exchanges are
 * there from the start, since no service may declare another's. `guest` is shut out where there is
 * one. Passwords are hashed; the same ones make the same text.
 */
export function brokerDefinitions(passwords: BrokerPasswords, namespace = "disburse") {
  const vhost = "/";
  const nothing = { configure: "^$", write: "^$", read: "^$" };
  // Known to those alone who know all the others.
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

/** Patterns of the names that a service's user may configure, write and read. */
function permissionsOf(service: ServiceName, namespace: string) {
  const own = `^${namespace}\\.${service}\\.(events|inbox|dead)$`;
  const queues = [`${service}\\.inbox`, `${service}\\.dead`];
  const exchanges = [...readBy(service)].map((publisher) => `${publisher}\\.events`);
  const read = `^${namespace}\\.(${[...queues, ...exchanges].join("|")})$`;
  return { configure: own, write: own, read: exchanges.length === 0 ? "^$" : read };
}

/** A user as RabbitMQ keeps it: 4 bytes of salt, and SHA-256 of these and the password. */
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
