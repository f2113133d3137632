import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { generateServiceKey, trustedKeysText } from "@disburse/chassis/identity/keys.ts";
import { writeFileAtomically } from "./atomic-file.ts";
import { makeCertificates } from "./certificates/files.ts";
import { readSecretsConfig } from "./config.ts";
import { type Workload, workloads } from "./secrets.ts";
import { serviceNames } from "./service-names.ts";

/**
 * `npm run keys -- FOLDER [--sandbox]` creates a folder with a new key for each service of a
 * deployment, such as `payout.key`, and all public keys in `trusted-keys.json`. `--sandbox` adds the
 * key of the job that creates a sandbox, for a stage. Live mode refuses to trust it.
 *
 * `npm run keys -- certificates [FOLDER]` creates an authority, `ca.crt`, and a certificate for
 * each service, such as `payout/tls.crt`. Run again, it renews certificates that expire soon.
 */

const [first, second] = process.argv.slice(2);
if (first === "certificates") await createCertificates(second ?? "certificates");
else if (first !== undefined && (second === undefined || second === "--sandbox"))
  createKeys(first, second === undefined ? serviceNames : workloads);
else {
  throw new Error(
    "usage: npm run keys -- FOLDER [--sandbox], or npm run keys -- certificates [FOLDER]",
  );
}

function createKeys(folder: string, names: readonly Workload[]): void {
  // Throws if the folder exists, so that keys in use are not replaced.
  mkdirSync(folder, { mode: 0o700 });
  const publicJwks = names.map((service) => {
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
