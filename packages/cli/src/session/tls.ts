import { readFileSync } from "node:fs";
import type { PeerCertificate } from "node:tls";
import { CommandError } from "../output/failure.ts";

/** Paths of PEM files for TLS to services, and whose services they are. */
export type TlsFiles = {
  /** The authority of the services' certificates; without it the system's, and host names. */
  readonly ca?: string | undefined;
  /** A certificate to show, and its key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly trustDomain: string;
};

/** TLS to one service; all that is given is PEM. */
export type ServiceTls = {
  readonly service: string;
  readonly trustDomain: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
};

/** Reads the files for calls to a service; a usage error where one cannot be read. */
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
 * Why a certificate of the services' own authority is not one of a service, which is named by its
 * SPIFFE ID, its one URI (decision 0042); host names count for nothing there.
 */
export function identityProblem(
  { subjectaltname = "" }: Pick<PeerCertificate, "subjectaltname">,
  { service, trustDomain }: Pick<ServiceTls, "service" | "trustDomain">,
): Error | undefined {
  const uris = subjectaltname.split(", ").filter((name) => name.startsWith("URI:"));
  const wanted = `spiffe://${trustDomain}/${service}`;
  // A name with a comma in it stands in quotes, and could look like several.
  const isPlain = !subjectaltname.includes('"');
  if (isPlain && uris.length === 1 && uris[0] === `URI:${wanted}`) return undefined;
  return new Error(`the certificate is not of ${wanted}`);
}
