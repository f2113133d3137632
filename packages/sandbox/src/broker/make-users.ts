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
 * `npm run broker-users -- FOLDER amqps://HOST:PORT [NAMESPACE]` creates a folder with the broker's
 * users: `definitions.json` for RabbitMQ, and each service's `AMQP_URL` in `payout.amqp-url` and so
 * on.
 */

const [folder, url, namespace] = process.argv.slice(2);
if (folder === undefined || url === undefined || !/^amqps?:\/\/[^/]/.test(url)) {
  throw new Error("usage: npm run broker-users -- FOLDER amqps://HOST:PORT [NAMESPACE]");
}

// Throws if the folder exists, so that passwords in use are not replaced.
mkdirSync(folder, { mode: 0o700 });
const passwords = generateBrokerPasswords();
for (const service of brokerServices) {
  const own = brokerUrlOf(url, service, passwords);
  writeFileAtomically(join(folder, `${service}.amqp-url`), `${own}\n`);
}
const definitions = brokerDefinitions(passwords, namespace);
writeFileAtomically(join(folder, "definitions.json"), `${JSON.stringify(definitions, null, 2)}\n`);
