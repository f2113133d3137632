import { isId } from "@disburse/kernel/id.ts";
import { invalidRequest, type Refused, refused, type Violation } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { isCidr } from "./source-address.ts";

const nouns = ["beneficiary", "depositor", "quote", "payout", "account", "webhook"] as const;

/** What a scope is about. */
export type ScopeNoun = (typeof nouns)[number];

/** What a key may do to a noun. */
export type Scope = `${ScopeNoun}:${"read" | "write"}`;

/** Every scope; a key made without any named gets them all. */
export const everyScope: readonly Scope[] = nouns.flatMap((noun): Scope[] => [
  `${noun}:read`,
  `${noun}:write`,
]);

/** Whether a text is a scope. */
export function isScope(text: string): text is Scope {
  return (everyScope as readonly string[]).includes(text);
}

/** The longest overlap of two keys: 30 days. */
export const overlapSecondsMax = 2_592_000;
const descriptionMax = 255;
/** More networks than a merchant has data centres; each is compared on every request. */
const cidrsMax = 100;

/** An operator's wish for a new key, not checked yet. */
export type AskedKey = {
  readonly merchantId: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
  readonly sourceCidrs: readonly string[];
  readonly description: string;
};

/** The same, checked. */
export type KeyOrder = Omit<AskedKey, "scopes"> & { readonly scopes: readonly Scope[] };

/**
 * Checks every field of a new key at once; its expiry must be after `now`.
 */
export function keyOrder(asked: AskedKey, now: Date): KeyOrder | Refused<"INVALID_REQUEST"> {
  const violations: Violation[] = [];
  const must = (holds: boolean, field: string, problem: string) => {
    if (!holds) violations.push({ field, problem });
  };
  const description = cleanText(asked.description);
  const scopes = [...new Set(asked.scopes)].filter(isScope);
  must(isId("merchant", asked.merchantId), "merchant_id", "must be a merchant's id");
  must(asked.scopes.every(isScope), "scopes", `must be of ${everyScope.join(", ")}`);
  must(asked.expiresAt === null || asked.expiresAt > now, "expires_at", "must be in the future");
  must(asked.sourceCidrs.every(isCidr), "source_cidrs", "must be addresses or networks (CIDR)");
  must(asked.sourceCidrs.length <= cidrsMax, "source_cidrs", `must be at most ${cidrsMax}`);
  must(
    Array.from(description).length <= descriptionMax,
    "description",
    `must be at most ${descriptionMax} characters`,
  );
  const problem = textProblem(asked.description);
  must(problem === undefined, "description", problem ?? "");
  if (violations.length > 0) return invalidRequest(violations);
  return { ...asked, description, scopes: scopes.length === 0 ? everyScope : scopes };
}

/** Checks how long a rotated key goes on. */
export function overlapProblem(seconds: number): Refused<"INVALID_REQUEST"> | undefined {
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= overlapSecondsMax) return undefined;
  return refused("INVALID_REQUEST", `overlap_seconds: must be from 0 to ${overlapSecondsMax}`);
}
