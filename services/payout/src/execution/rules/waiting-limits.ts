import { parseAmount } from "@disburse/kernel/money.ts";
import {
  invalidRequest,
  isRefused,
  isViolation,
  type Refused,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { parseMoment } from "@disburse/kernel/time.ts";
import type { ExecutableQuote } from "./payable.ts";

/** The limits of a payout that may wait, as sent. Absent texts are "". */
export type SentWaitingLimits = { readonly maxSourceAmount: string; readonly expiresAt: string };

/** The limits of a payout that may wait. `maxSource` is `undefined` if there is no maximum. */
export type WaitingLimits = { readonly maxSource: bigint | undefined; readonly expiresAt: Date };

type ReadQuote = { readonly currency: string; readonly executable: ExecutableQuote };

/** How long a payout waits by default, and at most. */
const waitMs = 24 * 3_600_000;
const waitingMaxMs = 7 * 86_400_000;

/**
 * Reads the maximum amount and the time of expiry, or names the field that is not valid. An execute
 * and its dry run both use it. The maximum isn't compared with an unknown quote or another
 * merchant's: the execute itself refuses these.
 */
export function waitingLimits(
  { maxSourceAmount, expiresAt: until }: SentWaitingLimits,
  read: ReadQuote | undefined,
  merchantId: string,
  now: Date,
): WaitingLimits | Refused<"INVALID_REQUEST"> {
  const at = waitingUntil(until, now);
  if (isViolation(at)) return invalidRequest([at]);
  const expiresAt = at ?? new Date(now.getTime() + waitMs);
  if (maxSourceAmount === "" || read?.executable.merchantId !== merchantId) {
    return { maxSource: undefined, expiresAt };
  }
  const field = "max_source_amount";
  const maxSource = parseAmount(maxSourceAmount, read.currency);
  if (isRefused(maxSource)) return invalidRequest([{ field, problem: maxSource.detail ?? "" }]);
  if (maxSource < read.executable.sourceMinor) {
    return invalidRequest([{ field, problem: "must not be below the quote's source_amount" }]);
  }
  return { maxSource, expiresAt };
}

/** Reads the time at which something stops to wait. `undefined` if none was sent. */
export function waitingUntil(text: string, now: Date): Date | undefined | Violation {
  const at = parseMoment(text);
  if (at === undefined) return undefined;
  const ahead = at.getTime() - now.getTime();
  if (ahead > 0 && ahead <= waitingMaxMs) return at;
  const problem = ahead > 0 ? "must be at most 7 days ahead" : "must be in the future";
  return { field: "expires_at", problem };
}
