import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { generateServiceKey, trustedKeysText } from "@disburse/chassis/identity/keys.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { serviceNames } from "./service-names.ts";

/**
 * `npm run keys -- FOLDER` creates a folder with a new key for each service of a live deployment,
 * such as `payout.key`, and all public keys in `trusted-keys.json`.
 */

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npm run keys -- FOLDER");

// Throws if the folder exists, so that keys in use are not replaced.
mkdirSync(folder, { mode: 0o700 });
const publicJwks = serviceNames.map((service) => {
  const { privateText, publicJwk } = generateServiceKey(service);
  writeFileAtomically(join(folder, `${service}.key`), `${privateText}\n`);
  return publicJwk;
});
writeFileAtomically(join(folder, "trusted-keys.json"), `${trustedKeysText(publicJwks)}\n`);
