import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Lifetime } from "../lifetime.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { readTextFile, SettingsError } from "../settings.ts";
import { serviceOfCertificate, type Tls, type TlsMaterial, tlsVersion } from "./certificates.ts";
import type { IdentitySettings } from "./settings.ts";

/** How often the files are looked at for a change, as those of keys. */
const reloadEveryMs = 10_000;

type TlsSettings = Pick<
  IdentitySettings,
  "TLS_CERT_FILE" | "TLS_KEY_FILE" | "TLS_CA_FILE" | "TLS_CLIENTS" | "TRUST_DOMAIN"
>;

/**
 * Opens mutual TLS where its files are given. They are read anew when they change: a certificate
 * is renewed without a restart. Files that do not fit together, as while they are replaced, are
 * logged, and what was there before stays.
 *
 * @throws {SettingsError} where a file is missing, or the certificate is no good one.
 */
export function openTls(
  service: string,
  settings: TlsSettings,
  log: Log,
  everyMs = reloadEveryMs,
): (Tls & { readonly stop: () => void }) | undefined {
  const { TRUST_DOMAIN: trustDomain, TLS_CLIENTS } = settings;
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, TLS_CA_FILE: ca } = settings;
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined || ca === undefined) {
    throw new SettingsError("settings: TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE: go together");
  }
  const read = (): TlsMaterial => ({
    cert: readTextFile("TLS_CERT_FILE", cert),
    key: readTextFile("TLS_KEY_FILE", key),
    ca: readTextFile("TLS_CA_FILE", ca),
  });
  const checked = (material: TlsMaterial) => {
    const problem = problemOf(material, service, trustDomain);
    if (problem !== undefined) throw new SettingsError(`settings: TLS_CERT_FILE: ${problem}`);
    return material;
  };
  let material = checked(read());
  let seen = textOf(material);
  const follow = () => {
    try {
      const now = read();
      if (textOf(now) === seen) return;
      seen = textOf(now);
      material = checked(now);
      log.info({}, "certificate read anew");
    } catch (error) {
      log.error({ err: error }, "certificate not read anew");
    }
  };
  const timer = setInterval(follow, everyMs).unref();
  return {
    trustDomain,
    material: () => material,
    admitsPersons: TLS_CLIENTS === "services_and_persons",
    stop: () => clearInterval(timer),
  };
}

const textOf = ({ cert, key, ca }: TlsMaterial): string => [cert, key, ca].join("\0");

/** Why a certificate cannot be used; shows nothing of the key. */
function problemOf(material: TlsMaterial, service: string, trustDomain: string) {
  let certificate: X509Certificate;
  try {
    createSecureContext({ ...material, minVersion: tlsVersion });
    certificate = new X509Certificate(material.cert);
  } catch {
    return "does not fit its key, or one of the files is malformed";
  }
  const found = serviceOfCertificate(certificate, trustDomain);
  if (found !== service) return `is not of spiffe://${trustDomain}/${service}`;
  const now = new Date();
  if (certificate.validFromDate > now) return "is not good yet";
  return certificate.validToDate < now ? "has expired" : undefined;
}

/** Opens mutual TLS for the life of a process, and shows when its certificate of now ends. */
export function openProcessTls(
  service: string,
  settings: TlsSettings,
  {
    log,
    metrics,
    lifetime,
  }: { readonly log: Log; readonly metrics: Metrics; readonly lifetime: Lifetime },
): Tls | undefined {
  const tls = openTls(service, settings, log);
  showEnd(metrics, tls);
  if (tls !== undefined) lifetime.add("TLS", tls.stop);
  return tls;
}

/** The metric is there without TLS too, and has no value then. */
function showEnd(metrics: Metrics, tls: Tls | undefined): void {
  const name = "disburse_tls_certificate_expiration_timestamp_seconds";
  const help = "When the certificate that the process shows in mutual TLS ends.";
  metrics.measured(name, help, ["trust_domain"], (gauge) => {
    if (tls === undefined) return;
    const { validToDate } = new X509Certificate(tls.material().cert);
    gauge.set({ trust_domain: tls.trustDomain }, validToDate.getTime() / 1_000);
  });
}
