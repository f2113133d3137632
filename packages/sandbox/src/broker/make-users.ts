import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../atomic-file.ts";
import {
  brokerDefinitions,
  brokerServices,
  brokerUrlOf,
  generateBrokerPasswords,
} from "./users.ts";

/**
 * `npm run broker-users -- FOLDER amqps://HOST:PORT [NAMESPACE]`: writes new users of a broker to a
 * new folder: `definitions.json` as RabbitMQ reads it, and to `payout.amqp-url` and the like each
 * service's `AMQP_URL`.
 */

const [folder, url, namespace] = process.argv.slice(2);
if (folder === undefined || url === undefined || !/^amqps?:\/\/[^/]/.test(url)) {
  throw new Error("usage: npm run broker-users -- FOLDER amqps://HOST:PORT [NAMESPACE]");
}

// Throws where it exists: a password that is in use is not replaced.
mkdirSync(folder, { mode: 0o700 });
const passwords = generateBrokerPasswords();
for (const service of brokerServices) {
  const own = brokerUrlOf(url, service, passwords);
  writeFileAtomically(join(folder, `${service}.amqp-url`), `${own}\n`);
}
const definitions = brokerDefinitions(passwords, namespace);
writeFileAtomically(join(folder, "definitions.json"), `${JSON.stringify(definitions, null, 2)}\n`);
