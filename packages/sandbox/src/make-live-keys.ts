import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { generateServiceKey, trustedKeysText } from "@disburse/chassis/identity/keys.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { makeCertificates } from "./certificates/files.ts";
import { readSecretsConfig } from "./config.ts";
import { serviceNames } from "./service-names.ts";

/**
 * `npm run keys -- FOLDER` creates a folder with a new key for each service of a live deployment,
 * such as `payout.key`, and all public keys in `trusted-keys.json`.
 *
 * `npm run keys -- certificates [FOLDER]` creates an authority, `ca.crt`, and a certificate for
 * each service, such as `payout/tls.crt`. Run again, it renews certificates that expire soon.
 */

const [first, second] = process.argv.slice(2);
if (first === "certificates") await createCertificates(second ?? "certificates");
else if (first !== undefined) createKeys(first);
else throw new Error("usage: npm run keys -- FOLDER, or npm run keys -- certificates [FOLDER]");

function createKeys(folder: string): void {
  // Throws if the folder exists, so that keys in use are not replaced.
  mkdirSync(folder, { mode: 0o700 });
  const publicJwks = serviceNames.map((service) => {
    const { privateText, publicJwk } = generateServiceKey(service);
    writeFileAtomically(join(folder, `${service}.key`), `${privateText}\n`);
    return publicJwk;
  });
  writeFileAtomically(join(folder, "trusted-keys.json"), `${trustedKeysText(publicJwks)}\n`);
}

async function createCertificates(folder: string): Promise<void> {
  for (const service of serviceNames) mkdirSync(join(folder, service), { recursive: true });
  const { TRUST_DOMAIN: trustDomain } = readSecretsConfig();
  const caFile = join(folder, "ca.crt");
  await makeCertificates({ caFile, keysFolder: folder, trustDomain }, serviceNames);
}
