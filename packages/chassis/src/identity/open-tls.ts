import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Lifetime } from "../lifetime.ts";
import type { Log } from "../log.ts";
import type { Metrics } from "../metrics.ts";
import { readTextFile, SettingsError } from "../settings.ts";
import { serviceOfCertificate, type Tls, type TlsMaterial, tlsVersion } from "./certificates.ts";
import type { IdentitySettings } from "./settings.ts";

/** The interval between two checks for changed files, as for keys. */
const reloadEveryMs = 10_000;

type TlsSettings = Pick<
  IdentitySettings,
  "TLS_CERT_FILE" | "TLS_KEY_FILE" | "TLS_CA_FILE" | "TLS_CLIENTS" | "TRUST_DOMAIN"
>;

/**
 * Opens mutual TLS if its files are configured. Changed files are read again, so that a certificate
 * can be renewed without a restart. Files can be inconsistent during a replacement. This is logged,
 * and the previous ones stay in use.
 *
 * @throws {SettingsError} if a file is missing, or the certificate is not usable.
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
    throw new SettingsError(
      "settings: TLS_CERT_FILE, TLS_KEY_FILE, TLS_CA_FILE: must be set together",
    );
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
      log.info({}, "TLS certificate reloaded");
    } catch (error) {
      log.error(
        { err: error },
        "reloading the TLS certificate failed; the previous one stays in use",
      );
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

/** Returns the reason why a certificate can't be used. Never includes parts of the key. */
function problemOf(material: TlsMaterial, service: string, trustDomain: string) {
  let certificate: X509Certificate;
  try {
    createSecureContext({ ...material, minVersion: tlsVersion });
    certificate = new X509Certificate(material.cert);
  } catch {
    return "does not match its key, or one of the files is malformed";
  }
  const found = serviceOfCertificate(certificate, trustDomain);
  if (found !== service) return `must name spiffe://${trustDomain}/${service}`;
  const now = new Date();
  if (certificate.validFromDate > now) return "is not valid yet";
  return certificate.validToDate < now ? "has expired" : undefined;
}

/**
 * Opens mutual TLS until the process ends. Adds the expiry of the current certificate to the
 * metrics.
 */
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

/** Registers the metric even without TLS. It then has no value. */
function showEnd(metrics: Metrics, tls: Tls | undefined): void {
  const name = "disburse_tls_certificate_expiration_timestamp_seconds";
  const help = "Unix time at which the process's certificate for mutual TLS expires.";
  metrics.measured(name, help, ["trust_domain"], (gauge) => {
    if (tls === undefined) return;
    const { validToDate } = new X509Certificate(tls.material().cert);
    gauge.set({ trust_domain: tls.trustDomain }, validToDate.getTime() / 1_000);
  });
}
