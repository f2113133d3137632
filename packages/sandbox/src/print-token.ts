import { readTokenConfig } from "./config.ts";
import { tokenOfRole } from "./people.ts";

/**
 * `node print-token.ts ROLE` prints an access token in a container of the sandbox. With `npm
 * start`, use `npm run -s token`.
 */

const [role = ""] = process.argv.slice(2);
try {
  const { ISSUER_KEY: issuerKey } = readTokenConfig();
  process.stdout.write(`${await tokenOfRole(issuerKey, role)}\n`);
} catch (error) {
  process.stderr.write(`No token: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
