import { isId } from "@disburse/kernel/id.ts";
import {
  invalidRequest,
  type Refused,
  refused,
  refusedBecause,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { isCidr } from "./source-address.ts";

/**
 * The default scopes of a key cover these nouns. A merchant needs them to create and track payouts.
 */
const payoutNouns = ["beneficiary", "depositor", "quote", "payout", "account", "webhook"] as const;
const nouns = [...payoutNouns, "merchant", "team", "key"] as const;

export type Mode = "sandbox" | "live";

export type ScopeNoun = (typeof nouns)[number];

/** Additional payout scopes: decide on other people's payouts, and change the payout rules. */
const payoutScopes = ["payout:approve", "payout:control"] as const;

export type Scope = `${ScopeNoun}:${"read" | "write"}` | (typeof payoutScopes)[number];

export const everyScope: readonly Scope[] = nouns.flatMap((noun): Scope[] => [
  ...([`${noun}:read`, `${noun}:write`] as const),
  ...(noun === "payout" ? payoutScopes : []),
]);

/** Scopes of a key whose request has none. In live mode they allow reading only. */
const defaultScopes: Readonly<Record<Mode, readonly Scope[]>> = {
  sandbox: everyScope,
  live: payoutNouns.map((noun): Scope => `${noun}:read`),
};

/**
 * Default lifetime of a live key. NIST SP 800-57 part 1 (5.3.6) allows two years for authentication
 * keys.
 */
const liveTermMs = 365 * 24 * 60 * 60 * 1_000;

/**
 * Returns the expiry of a key whose request has none. A live key expires a year from now, a sandbox
 * key never.
 */
export function defaultEnd(mode: Mode, now: Date): Date | null {
  return mode === "live" ? new Date(now.getTime() + liveTermMs) : null;
}

export function isScope(text: string): text is Scope {
  return (everyScope as readonly string[]).includes(text);
}

/**
 * Returns the scopes that allow creating payouts, approving them or changing the payout rules.
 * Giving such a scope requires two people.
 */
export function secondPersonScopes(given: ReadonlySet<string>): readonly Scope[] {
  return everyScope.filter((scope) => isOverPayouts(scope) && given.has(scope));
}

function isOverPayouts(scope: Scope): boolean {
  return scope.startsWith("payout:") && scope !== "payout:read";
}

/** Returns a refusal if the caller gives a scope that the caller doesn't have. */
export function scopesToGive(
  own: ReadonlySet<Scope>,
  given: Iterable<string>,
): Refused<"ACCESS_FORBIDDEN"> | undefined {
  const isOwn = (scope: string): boolean => (own as ReadonlySet<string>).has(scope);
  return [...given].filter((scope) => isScope(scope)).every(isOwn)
    ? undefined
    : refusedBecause("ACCESS_FORBIDDEN", "scope_missing");
}

/** One day, as for webhook secrets. A merchant can update its servers in that time. */
export const overlapSecondsDefault = 86_400;
/** Maximum overlap of an old key and its successor: 30 days. */
export const overlapSecondsMax = 2_592_000;
const descriptionMax = 255;
/**
 * Maximum networks of a key. Merchants have fewer data centres, and each request is compared with
 * every network.
 */
const cidrsMax = 100;

/**
 * The requested fields of a new key. `KeyOrder<string>` is an operator's request before it is
 * checked.
 */
export type KeyOrder<Named extends string = Scope> = {
  readonly merchantId: string;
  readonly scopes: readonly Named[];
  /** `null` if the request has no expiry. */
  readonly expiresAt: Date | null;
  readonly sourceCidrs: readonly string[];
  readonly description: string;
};

/** Checks all fields of a new key's request. The expiry must be after `now`. */
export function keyOrder(
  order: KeyOrder<string>,
  now: Date,
  mode: Mode,
): KeyOrder | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const must = (holds: boolean, field: string, problem: string) => {
    if (!holds) violations.push({ field, problem });
  };
  const { merchantId, expiresAt, sourceCidrs } = order;
  const description = cleanText(order.description);
  const isShort = Array.from(description).length <= descriptionMax;
  const problem = textProblem(order.description);
  must(isId("merchant", merchantId), "merchant_id", "must be a merchant's id");
  must(order.scopes.every(isScope), "scopes", `must be of ${everyScope.join(", ")}`);
  must(expiresAt === null || expiresAt > now, "expires_at", "must be in the future");
  must(sourceCidrs.every(isCidr), "source_cidrs", "must be addresses or networks (CIDR)");
  must(sourceCidrs.length <= cidrsMax, "source_cidrs", `must be at most ${cidrsMax}`);
  must(isShort, "description", `must be at most ${descriptionMax} characters`);
  must(problem === undefined, "description", problem ?? "");
  if (violations.length > 0) return invalidRequest(violations);
  const scopes = [...new Set(order.scopes)].filter(isScope);
  return { ...order, description, scopes: scopes.length === 0 ? defaultScopes[mode] : scopes };
}

export function overlapProblem(seconds: number): Refused<"INVALID_REQUEST"> | undefined {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= overlapSecondsMax) return undefined;
  return refused("INVALID_REQUEST", `overlap_seconds: must be from 0 to ${overlapSecondsMax}`);
}
