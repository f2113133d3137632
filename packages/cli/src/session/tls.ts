import { readFileSync } from "node:fs";
import type { PeerCertificate } from "node:tls";
import { CommandError } from "../output/failure.ts";

/** PEM files for TLS to services, and the services' trust domain. */
export type TlsFiles = {
  /**
   * The services' certificate authority. Without it, the system's authorities and host names apply.
   */
  readonly ca?: string | undefined;
  /** The client certificate and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly trustDomain: string;
};

/** TLS to one service; certificates and keys are PEM text. */
export type ServiceTls = {
  readonly service: string;
  readonly trustDomain: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

/** Reads the files; throws a usage error if one is unreadable. */
export function readTls(files: TlsFiles | undefined, service: string): ServiceTls | undefined {
  if (files === undefined) return undefined;
  const { ca, cert, key, trustDomain } = files;
  return {
    service,
    trustDomain,
    ...(ca && { ca: textOf(ca) }),
    ...(cert && { cert: textOf(cert) }),
    ...(key && { key: textOf(key) }),
  };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = `${path}: ${error instanceof Error ? error.message : error}`;
    throw new CommandError(message, { exit: "usage", code: "usage", cause: error });
  }
}

/**
 * Returns an error unless the certificate's only URI is the service's SPIFFE ID (decision 0042).
 * Host names are ignored.
 */
export function identityProblem(
  { subjectaltname = "" }: Pick<PeerCertificate, "subjectaltname">,
  { service, trustDomain }: Pick<ServiceTls, "service" | "trustDomain">,
): Error | undefined {
  const uris = subjectaltname.split(", ").filter((name) => name.startsWith("URI:"));
  const wanted = `spiffe://${trustDomain}/${service}`;
  // A quoted name contains a comma and could be mistaken for several names.
  const isPlain = !subjectaltname.includes('"');
  if (isPlain && uris.length === 1 && uris[0] === `URI:${wanted}`) return undefined;
  return new Error(`the server's certificate is not for ${wanted}`);
}
