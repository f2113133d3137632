import type { AddressRules } from "./rules/address.ts";
import { portOf, urlProblem } from "./rules/url.ts";

export type Target = {
  readonly protocol: string;
  /** A host name or an address. An IPv6 address has no brackets. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
};

/** Maximum URLs in the cache, about 100 KiB. When there are more, the cache is cleared. */
const targetsMax = 1_000;

/**
 * Returns a function that parses and caches URLs. It returns `undefined` if the rules refuse the
 * URL itself. The addresses of its host name are checked later.
 */
export function createTargets(rules: AddressRules): (url: string) => Target | undefined {
  const known = new Map<string, Target | undefined>();
  return (url) => {
    if (known.has(url)) return known.get(url);
    if (known.size === targetsMax) known.clear();
    const target = readTarget(url, rules);
    known.set(url, target);
    return target;
  };
}

function readTarget(text: string, rules: AddressRules): Target | undefined {
  if (urlProblem(text, rules) !== undefined) return undefined;
  const url = new URL(text);
  return {
    protocol: url.protocol,
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: portOf(url),
    path: url.pathname + url.search,
  };
}
