import type { AddressRules } from "./rules/address.ts";
import { urlProblem } from "./rules/url.ts";

/** A URL in the parts that a request is made of. */
export type Target = { readonly origin: string; readonly path: string };

/** Some 100 KiB; past them all are read anew. */
const targetsMax = 1_000;

/**
 * Reads URLs that webhooks go to, each once as long as it is remembered; `undefined` where the
 * rules refuse one. What its host name resolves to is not asked here.
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

function readTarget(url: string, { policy, ownNetworks }: AddressRules): Target | undefined {
  if (urlProblem(url, policy, ownNetworks) !== undefined) return undefined;
  const { origin, pathname, search } = new URL(url);
  return { origin, path: pathname + search };
}
