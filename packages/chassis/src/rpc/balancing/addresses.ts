import { type LookupAddress, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { promisify } from "node:util";

/** The address of one process of a service. */
export type Address = {
  /** Unique among the addresses of a service. */
  readonly key: string;
  readonly url: string;
  /** Resolves a URL's host name to this address. Absent if the URL contains the address itself. */
  readonly lookup?: LookupFunction;
};

export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

/** Uses the operating system's resolver, with its search domains and hosts file. */
export const resolveHost: ResolveHost = (host) => promisify(lookup)(host, { all: true });

/**
 * Returns true if the host of a URL is a name. A name may have several addresses, which may change.
 */
export function hasName(url: string): boolean {
  return isIP(literalOf(url)) === 0;
}

/** Resolves the current addresses of a URL. Rejects if its host name does not resolve. */
export async function addressesOf(url: string, resolve: ResolveHost): Promise<readonly Address[]> {
  if (!hasName(url)) return [{ key: url, url }];
  const found = await resolve(literalOf(url));
  // A process may have an IPv4 and an IPv6 address. Only one family is used, so that the process
  // counts once.
  const family = found.some((each) => each.family === 4) ? 4 : 6;
  const addresses = found.filter((each) => each.family === family).map(({ address }) => address);
  return [...new Set(addresses)].map((address) => ({
    key: `${url} at ${address}`,
    url,
    lookup: (_host, { all }, done) =>
      all === true ? done(null, [{ address, family }]) : done(null, address, family),
  }));
}

/** Returns a URL's host. An IPv6 address is returned without brackets. */
const literalOf = (url: string) => new URL(url).hostname.replace(/^\[|\]$/g, "");
