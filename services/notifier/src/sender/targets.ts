import type { AddressRules } from "./rules/address.ts";
import { portOf, urlProblem } from "./rules/url.ts";

/** A URL in the parts that a request is made of. */
export type Target = {
  readonly protocol: string;
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  readonly path: string;
};

/** Some 100 KiB; then the cache is cleared. */
const targetsMax = 1_000;

/** Parses URLs, and caches them; `undefined` where the rules refuse one by its text. */
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
