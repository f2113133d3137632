import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";

/** The address of one process of a service. */
export type Address = {
  /** Distinguishes the addresses of a service. */
  readonly key: string;
  readonly url: string;
  /** Resolves a URL's host name to this address; absent for a literal address. */
  readonly lookup?: LookupFunction;
};

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Uses the operating system's resolver, with its search domains and hosts file. */
export const resolveHost: ResolveHost = (host) => promisify(lookup)(host, { all: true });

/** True if the host of a URL is a name, which may have several and changing addresses. */
export function hasName(url: string): boolean {
  return isIP(literalOf(url)) === 0;
}

/** Resolves the current addresses of a URL; rejects if its host name does not resolve. */
export async function addressesOf(url: string, resolve: ResolveHost): Promise<readonly Address[]> {
  if (!hasName(url)) return [{ key: url, url }];
  const found = await resolve(literalOf(url));
  // A process with an address of each family is one process.
  const family = found.some((each) => each.family === 4) ? 4 : 6;
  const addresses = found.filter((each) => each.family === family).map(({ address }) => address);
  return [...new Set(addresses)].map((address) => ({
    key: `${url} at ${address}`,
    url,
    lookup: (_host, { all }, done) =>
      all === true ? done(null, [{ address, family }]) : done(null, address, family),
  }));
}

/** A URL's host, an IPv6 address without its brackets. */
const literalOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, "");
