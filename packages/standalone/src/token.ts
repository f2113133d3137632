import { join } from "node:path";
import { tokenOfRole } from "@disburse/sandbox/people.ts";
import { readStoredSecrets } from "./config.ts";

/**
 * `npm run -s token -- ROLE` prints an access token of a person in the sandbox who has this role.
 */

const root = join(import.meta.dirname, "../../..");
const usage = "usage: npm run -s token -- ROLE\n";

const [role, ...more] = process.argv.slice(2);
if (role === undefined || more.length > 0) {
  process.stderr.write(usage);
  process.exit(2);
}
try {
  const { issuerKey } = readStoredSecrets(process.env.DATA_DIR || join(root, ".data"));
  process.stdout.write(`${await tokenOfRole(issuerKey, role)}\n`);
} catch (error) {
  process.stderr.write(`No token: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
