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

/** What payouts are made and followed with: all that a key needs for which nothing is named. */
const payoutNouns = ["beneficiary", "depositor", "quote", "payout", "account", "webhook"] as const;
const nouns = [...payoutNouns, "team", "key"] as const;

/** Which deployment a key is for. */
export type Mode = "sandbox" | "live";

/** What a scope is about. */
export type ScopeNoun = (typeof nouns)[number];

/** Scopes of payouts beside reading and writing: to decide on others', and to set the rules. */
const payoutScopes = ["payout:approve", "payout:control"] as const;

/** What a key may do to a noun. */
export type Scope = `${ScopeNoun}:${"read" | "write"}` | (typeof payoutScopes)[number];

/** Every scope. */
export const everyScope: readonly Scope[] = nouns.flatMap((noun): Scope[] => [
  ...([`${noun}:read`, `${noun}:write`] as const),
  ...(noun === "payout" ? payoutScopes : []),
]);

/** The scopes of a key for which none are named: in live mode it changes nothing. */
const defaultScopes: Readonly<Record<Mode, readonly Scope[]>> = {
  sandbox: everyScope,
  live: payoutNouns.map((noun): Scope => `${noun}:read`),
};

/** Within the two years that NIST SP 800-57 part 1 (5.3.6) gives a key that authenticates. */
const liveTermMs = 365 * 24 * 60 * 60 * 1_000;

/** When a key ends for which no end is given: a year from now, in the sandbox never. */
export function defaultEnd(mode: Mode, now: Date): Date | null {
  return mode === "live" ? new Date(now.getTime() + liveTermMs) : null;
}

/** Whether a text is a scope. */
export function isScope(text: string): text is Scope {
  return (everyScope as readonly string[]).includes(text);
}

/** Those of some scopes that pay, approve or set the rules of payouts: two persons give them. */
export function secondPersonScopes(given: ReadonlySet<string>): readonly Scope[] {
  return everyScope.filter((scope) => isOverPayouts(scope) && given.has(scope));
}

function isOverPayouts(scope: Scope): boolean {
  return scope.startsWith("payout:") && scope !== "payout:read";
}

/** A caller gives to keys and members no scope that it does not have itself. */
export function scopesToGive(
  own: ReadonlySet<Scope>,
  given: Iterable<string>,
): Refused<"ACCESS_FORBIDDEN"> | undefined {
  const isOwn = (scope: string): boolean => (own as ReadonlySet<string>).has(scope);
  return [...given].filter((scope) => isScope(scope)).every(isOwn)
    ? undefined
    : refusedBecause("ACCESS_FORBIDDEN", "scope_missing");
}

/** A day, as for the secrets of a webhook endpoint: a merchant can change its servers in it. */
export const overlapSecondsDefault = 86_400;
/** The longest overlap of two keys: 30 days. */
export const overlapSecondsMax = 2_592_000;
const descriptionMax = 255;
/** More networks than a merchant has data centres; each is compared on every request. */
const cidrsMax = 100;

/** A key to make; `KeyOrder<string>` is what an operator requests, not checked yet. */
export type KeyOrder<Named extends string = Scope> = {
  readonly merchantId: string;
  readonly scopes: readonly Named[];
  /** No end of its own where it is `null`. */
  readonly expiresAt: Date | null;
  readonly sourceCidrs: readonly string[];
  readonly description: string;
};

/** Checks every field of a new key at once; its expiry must be after `now`. */
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

/** Checks how long a rotated key goes on. */
export function overlapProblem(seconds: number): Refused<"INVALID_REQUEST"> | undefined {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= overlapSecondsMax) return undefined;
  return refused("INVALID_REQUEST", `overlap_seconds: must be from 0 to ${overlapSecondsMax}`);
}
