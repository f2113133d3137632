import { X509Certificate } from "node:crypto";
import type { PeerCertificate, SecureVersion } from "node:tls";

/** What a process shows of itself in TLS, and whose certificates it believes; all of it is PEM. */
export type TlsMaterial = {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
};

/** Mutual TLS of a process. */
export type Tls = {
  readonly trustDomain: string;
  /** What it is now: its files may be read anew. Another object where it has changed. */
  readonly material: () => TlsMaterial;
  /** Whether persons may come without a certificate: their token says who they are. */
  readonly admitsPersons: boolean;
};

const spiffePattern = /^URI:spiffe:\/\/([a-z0-9][a-z0-9.-]*)\/([a-z][a-z-]{0,31})$/;

/**
 * The service that a certificate is of, by its one URI name, `spiffe://<trust domain>/<service>`;
 * absent where it has none, several, or one of another trust domain. Whether an authority that is
 * believed has made it is not looked at.
 */
export function serviceOfCertificate(
  certificate: Pick<X509Certificate, "subjectAltName">,
  trustDomain: string,
): string | undefined {
  const text = certificate.subjectAltName ?? "";
  // A name with a comma in it stands in quotes, and could look like several.
  if (text.includes('"')) return undefined;
  const names = text.split(", ");
  const [uri, ...others] = names.filter((name) => name.startsWith("URI:"));
  const [, domain, service] = spiffePattern.exec(uri ?? "") ?? [];
  return others.length === 0 && domain === trustDomain ? service : undefined;
}

/** Older versions show the certificate of a caller to all who listen. */
export const tlsVersion: SecureVersion = "TLSv1.3";

/** What a client of mutual TLS connects with. */
export type ClientTls = TlsMaterial & {
  readonly minVersion: SecureVersion;
  readonly checkServerIdentity: (host: string, found: PeerCertificate) => Error | undefined;
};

/** How a client connects to a service, and makes sure that it is that one. */
export function clientTls({ material, trustDomain }: Tls, service: string): ClientTls {
  return {
    ...material(),
    minVersion: tlsVersion,
    checkServerIdentity: (_host, { raw }) => {
      const found = serviceOfCertificate(new X509Certificate(raw), trustDomain);
      if (found === service) return undefined;
      return new Error(`the certificate is not one of ${service}`);
    },
  };
}
