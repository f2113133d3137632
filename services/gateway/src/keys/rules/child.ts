import { invalidRequest, type Refused, type Violation } from "@disburse/kernel/refusal.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { type KeyOrder, type Scope, scopesToGive } from "./key.ts";
import { isCidr, liesWithin } from "./source-address.ts";

/** The limits of a key or member that creates another key. */
export type MakerLimits = {
  readonly scopes: ReadonlySet<Scope>;
  /** An empty list means no limit. Members have none. */
  readonly sourceCidrs: readonly string[];
  /** `undefined` means no end. Members have none. */
  readonly endsAt: Date | undefined;
};

type Wish = Pick<KeyOrder<string>, "scopes" | "sourceCidrs" | "expiresAt">;

/** Returns a refusal if a new key exceeds the scopes, networks or end of its creator. */
export function childProblem(
  maker: MakerLimits,
  { scopes, sourceCidrs, expiresAt }: Wish,
): Refused<"ACCESS_FORBIDDEN" | "INVALID_REQUEST"> | undefined {
  const missing = scopesToGive(maker.scopes, scopes);
  if (missing !== undefined) return missing;
  const violations: Violation[] = [];
  // Texts that are not networks are skipped, because `keyOrder` refuses them.
  const isOutside = sourceCidrs.filter(isCidr).some((each) => !liesWithin(maker.sourceCidrs, each));
  if (maker.sourceCidrs.length > 0 && isOutside) {
    const problem = "must be within the networks of the key that creates it";
    violations.push({ field: "source_cidrs", problem });
  }
  const { endsAt } = maker;
  if (endsAt !== undefined && expiresAt !== null && expiresAt > endsAt) {
    const problem = `must not be after ${isoTime(endsAt)}, when the key that creates it expires`;
    violations.push({ field: "expires_at", problem });
  }
  return violations.length === 0 ? undefined : invalidRequest(violations);
}

/** Sets the networks and the end to the creator's where the new key's request has none. */
export function withInherited(
  maker: MakerLimits,
  order: KeyOrder,
  defaultEnd: Date | null,
): KeyOrder {
  const { endsAt } = maker;
  const earliest =
    endsAt !== undefined && defaultEnd !== null && defaultEnd < endsAt ? defaultEnd : endsAt;
  return {
    ...order,
    sourceCidrs: order.sourceCidrs.length === 0 ? maker.sourceCidrs : order.sourceCidrs,
    expiresAt: order.expiresAt ?? earliest ?? null,
  };
}
