import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { serviceOfCertificate } from "@disburse/chassis/identity/certificates.ts";
import { writeFileAtomically } from "../atomic-file.ts";
import type { Workload } from "../secrets.ts";
import { createAuthority } from "./authority.ts";

const dayMs = 86_400_000;
const validDays = 365;
/** A certificate with fewer days left is replaced by the next run of the job. */
const renewDays = 120;
/**
 * The time until every process trusts the new authority, because each one reads authorities again
 * every 10 s.
 */
const spreadMs = 15_000;
const readableByAll = 0o644;

export type CertificatePlaces = {
  /** The file of the trusted authorities, which every user can read. */
  readonly caFile: string;
  /** The folder that contains a folder for each service with `tls.crt` and `tls.key`. */
  readonly keysFolder: string;
  readonly trustDomain: string;
};

/**
 * Creates missing certificates, renews those that expire soon, and then forgets the authority's
 * key. Running services read changed files, and no call fails: for `spread` ms they trust the new
 * authority as well as earlier ones, before any service uses a new certificate. Returns true if
 * certificates were renewed.
 */
export async function makeCertificates(
  { caFile, keysFolder, trustDomain }: CertificatePlaces,
  workloads: readonly Workload[],
  { now = new Date(), spread = spreadMs }: { readonly now?: Date; readonly spread?: number } = {},
): Promise<boolean> {
  const authorities = authoritiesOf(caFile, now);
  const goodUntil = now.getTime() + renewDays * dayMs;
  const placeOf = (workload: Workload, name: string) => join(keysFolder, workload, name);
  const isGood = (workload: Workload) => {
    const [cert, key] = ["tls.crt", "tls.key"].map((name) => placeOf(workload, name));
    if (!existsSync(cert ?? "") || !existsSync(key ?? "")) return false;
    const certificate = new X509Certificate(readFileSync(cert ?? ""));
    return (
      serviceOfCertificate(certificate, trustDomain) === workload &&
      certificate.validToDate.getTime() > goodUntil &&
      certificate.checkPrivateKey(createPrivateKey(readFileSync(key ?? ""))) &&
      authorities.some(({ publicKey }) => certificate.verify(publicKey))
    );
  };
  if (workloads.every(isGood)) return false;
  const authority = await createAuthority({
    // Starts a day earlier to allow for clock differences.
    notBefore: new Date(now.getTime() - dayMs),
    notAfter: new Date(now.getTime() + validDays * dayMs),
  });
  const before = authorities.map(String).join("");
  writeFileAtomically(caFile, authority.cert + before, readableByAll);
  if (before !== "") await pause(spread);
  for (const workload of workloads) {
    const { cert, key } = await authority.issue(trustDomain, workload);
    writeFileAtomically(placeOf(workload, "tls.key"), key);
    writeFileAtomically(placeOf(workload, "tls.crt"), cert, readableByAll);
  }
  return true;
}

/** Returns the file's authorities that have not expired. */
function authoritiesOf(path: string, now: Date): X509Certificate[] {
  if (!existsSync(path)) return [];
  const pattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
  const all = readFileSync(path, "utf8").match(pattern) ?? [];
  return all.map((pem) => new X509Certificate(pem)).filter((each) => each.validToDate > now);
}
