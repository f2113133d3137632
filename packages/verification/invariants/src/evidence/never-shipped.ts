import type { Flaw } from "./flaw.ts";
import type { ShippedHead } from "./kept-heads.ts";

/** Heads are shipped every minute; a chain that has none after this was left out. */
const shippedWithinMs = 600_000;

/** A chain whose first entry is not new, and of which the sink has no head. */
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
