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
/** With less left than this all are made anew, at the next run of the job. */
const renewDays = 120;
/** Every process has read the new authority by then: they look each 10 s. */
const spreadMs = 15_000;
/** No secret. */
const readableByAll = 0o644;

/** Where the certificates of a sandbox are, and whose they are. */
export type CertificatePlaces = {
  /** Of the authorities that are believed, for all. */
  readonly caFile: string;
  /** In it a folder for each, with `tls.crt` and `tls.key`. */
  readonly keysFolder: string;
  readonly trustDomain: string;
};

/**
 * Makes the certificates of a sandbox's services where they are missing or end soon, by an
 * authority whose key is forgotten then. Services that run read them anew without a failed call:
 * the new authority is believed beside those of before, for `spread` ms, before anyone shows a
 * certificate of it. Answers whether it made any.
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
    // Clocks differ.
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

/** The authorities of a file that are still good. */
function authoritiesOf(path: string, now: Date): X509Certificate[] {
  if (!existsSync(path)) return [];
  const pattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
  const all = readFileSync(path, "utf8").match(pattern) ?? [];
  return all.map((pem) => new X509Certificate(pem)).filter((each) => each.validToDate > now);
}
