import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { generateServiceKey, trustedKeysText } from "@disburse/chassis/identity/keys.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { serviceNames } from "./service-names.ts";

/**
 * `npm run keys -- FOLDER`: writes a new key of each service of a live deployment to a new folder,
 * `payout.key` and the like, and the public ones of all to `trusted-keys.json`.
 */

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: npm run keys -- FOLDER");

// Throws where it exists: a key that is in use is not replaced.
mkdirSync(folder, { mode: 0o700 });
const publicJwks = serviceNames.map((service) => {
  const { privateText, publicJwk } = generateServiceKey(service);
  writeFileAtomically(join(folder, `${service}.key`), `${privateText}\n`);
  return publicJwk;
});
writeFileAtomically(join(folder, "trusted-keys.json"), `${trustedKeysText(publicJwks)}\n`);
