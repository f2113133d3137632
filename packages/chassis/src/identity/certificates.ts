import { X509Certificate } from "node:crypto";
import type { PeerCertificate, SecureVersion } from "node:tls";

/** A process's certificate and key, and the authorities that it trusts, all as PEM. */
export type TlsMaterial = {
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
};

export type Tls = {
  readonly trustDomain: string;
  /**
   * Returns the current certificate, key and authorities. After a file has changed, returns a
   * different object.
   */
  readonly material: () => TlsMaterial;
  /** True if persons may connect without a certificate, because their token identifies them. */
  readonly admitsPersons: boolean;
};

const spiffePattern = /^URI:spiffe:\/\/([a-z0-9][a-z0-9.-]*)\/([a-z][a-z-]{0,31})$/;

/**
 * Returns the service in a certificate's only URI name, `spiffe://<trust domain>/<service>`.
 * Returns `undefined` if the certificate has none, several, or one of another trust domain. Doesn't
 * check the issuing authority.
 */
export function serviceOfCertificate(
  certificate: Pick<X509Certificate, "subjectAltName">,
  trustDomain: string,
): string | undefined {
  const text = certificate.subjectAltName ?? "";
  // A name that contains a comma is quoted, and could otherwise pass as several names.
  if (text.includes('"')) return undefined;
  const names = text.split(", ");
  const [uri, ...others] = names.filter((name) => name.startsWith("URI:"));
  const [, domain, service] = spiffePattern.exec(uri ?? "") ?? [];
  return others.length === 0 && domain === trustDomain ? service : undefined;
}

/** The minimum TLS version. Older versions send the caller's certificate unencrypted. */
export const tlsVersion: SecureVersion = "TLSv1.3";

export type ClientTls = TlsMaterial & {
  readonly minVersion: SecureVersion;
  readonly checkServerIdentity: (host: string, found: PeerCertificate) => Error | undefined;
};

/**
 * Returns the TLS options for connecting to a service. They reject the certificate of any other
 * service.
 */
export function clientTls({ material, trustDomain }: Tls, service: string): ClientTls {
  return {
    ...material(),
    minVersion: tlsVersion,
    checkServerIdentity: (_host, { raw }) => {
      const found = serviceOfCertificate(new X509Certificate(raw), trustDomain);
      if (found === service) return undefined;
      return new Error(`the certificate does not belong to the service ${service}`);
    },
  };
}
