import type { Flaw } from "./flaw.ts";
import type { ShippedHead } from "./kept-heads.ts";

/**
 * The services ship heads every minute. If a chain has no head after this time, its heads were
 * omitted.
 */
const shippedWithinMs = 600_000;

/** Finds a chain with an old first entry but no head in the sink. */
export function neverShipped(
  service: string,
  chain: string,
  shipped: readonly ShippedHead[],
  { created_at }: { readonly created_at: Date },
  now: Date,
): Flaw[] {
  const isNew = now.getTime() - created_at.getTime() < shippedWithinMs;
  if (shipped.length > 0 || isNew) return [];
  const detail = "no head of this chain is in the sink";
  return [{ kind: "missing", service, subject: chain, detail }];
}
