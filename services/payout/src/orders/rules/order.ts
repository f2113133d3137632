import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import { failureMessages } from "@disburse/kernel/failure.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import {
  invalidRequest,
  isRefused,
  type Refused,
  refused,
  refusedBecause,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { isSameActor, type Who } from "../../payouts/rules/approval.ts";
import { detailsOf, type PayoutDetails } from "../../payouts/rules/payout.ts";

/** The parties, the amount and the maximum cost: all that a quote and its execution need. */
export type OrderTerms = {
  readonly details: PayoutDetails;
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly source: string;
  readonly destination: string;
  /** The fixed side. `amount` is in its currency. */
  readonly fixed: "source" | "receiving";
  readonly amount: bigint;
  /** In the source currency, fees included; `undefined` for no maximum. */
  readonly maxSource: bigint | undefined;
  /** True to skip the duplicate guard. */
  readonly allowDuplicate: boolean;
};

/** The quote of an order. From its binding on it decides on the order. */
export type OrderQuote = {
  readonly id: string;
  readonly source: bigint;
  readonly receiving: bigint;
};

/** The cause of a failed order: a refusal of a quote or an execute, or the order's own maximum. */
export type OrderFailure = ErrorCode | keyof typeof ownFailures;

/** Failures by the limits and decisions of orders themselves. */
const ownFailures = {
  COST_ABOVE_MAXIMUM: "The quote cost more than the maximum.",
  BATCH_TOTAL_EXCEEDED: "The batch would have cost more than was approved.",
  APPROVAL_EXPIRED: failureMessages.APPROVAL_EXPIRED,
} as const;

export type OrderState =
  | { readonly state: "waiting" | "awaiting_approval" }
  | { readonly state: "executed"; readonly payoutId: string }
  | { readonly state: "failed"; readonly failure: OrderFailure; readonly detail?: string }
  | { readonly state: "cancelled" };

/** A payout that is ordered now and created later. */
export type Order = OrderState & {
  readonly id: string;
  readonly merchantId: string;
  readonly terms: OrderTerms;
  /** Counts from 1; increases with each quote that ended without execution. */
  readonly attempt: number;
  readonly quote: OrderQuote | undefined;
};

/** The texts of an order's terms, as the merchant sent them. */
export type SentTerms = PayoutDetails & {
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly sourceCurrencyCode: string;
  readonly destinationCurrencyCode: string;
  readonly sourceAmount: string;
  readonly receivingAmount: string;
  readonly maxSourceAmount: string;
  readonly allowDuplicate: boolean;
};

/** Currencies; `undefined` for an unknown account or beneficiary. */
export type OrderParties = {
  readonly account: string | undefined;
  readonly beneficiary: string | undefined;
};

/**
 * Returns the terms of a well-formed order, or all fields that don't match its account and
 * beneficiary. Quoting and payment are checked when the order is due.
 */
export function orderTerms(sent: SentTerms, parties: OrderParties): OrderTerms | Violation[] {
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = sent;
  const problems = [
    mismatch("source_currency_code", source, "account", parties.account),
    mismatch("destination_currency_code", destination, "beneficiary", parties.beneficiary),
  ].flat();
  if (problems.length > 0) return problems;
  const fixed = sent.sourceAmount === "" ? "receiving" : "source";
  const amount =
    fixed === "source"
      ? parseAmount(sent.sourceAmount, source)
      : parseAmount(sent.receivingAmount, destination);
  const max = sent.maxSourceAmount === "" ? undefined : parseAmount(sent.maxSourceAmount, source);
  if (isRefused(amount)) problems.push({ field: `${fixed}_amount`, problem: amount.detail ?? "" });
  if (isRefused(max)) problems.push({ field: "max_source_amount", problem: max.detail ?? "" });
  if (isRefused(amount) || isRefused(max)) return problems;
  if (fixed === "source" && max !== undefined && max < amount) {
    return [{ field: "max_source_amount", problem: "must not be below source_amount" }];
  }
  const { accountId, beneficiaryId, allowDuplicate } = sent;
  const cost = { source, destination, fixed, amount, maxSource: max } as const;
  return { accountId, beneficiaryId, ...cost, details: detailsOf(sent), allowDuplicate };
}

function mismatch(field: string, sent: string, of: string, its: string | undefined): Violation[] {
  if (its === undefined || its === sent) return [];
  return [{ field, problem: `must be the ${of}'s currency, ${its}` }];
}

/** A year, and a day for leap years. */
export const aheadMaxMs = 366 * 86_400_000;

/** Refuses a time in the past or too far ahead. */
export function scheduledTime(at: Date, now: Date): Date | Refused<"INVALID_REQUEST"> {
  const ahead = at.getTime() - now.getTime();
  if (ahead > 0 && ahead <= aheadMaxMs) return at;
  const problem = ahead > 0 ? "must be at most 366 days ahead" : "must be in the future";
  return invalidRequest([{ field: "scheduled_at", problem }]);
}

/** An order fails if its beneficiary is still in screening this long after its time. */
export const patienceMs = 24 * 3_600_000;

/**
 * Decides after a refusal of a quote or an execute. The order fails, needs a new quote because its
 * own expired, or is retried while the screening of its beneficiary may end.
 */
export function afterRefusal(
  code: string,
  { dueAt, now }: { readonly dueAt: Date; readonly now: Date },
): "quote" | "wait" | "fail" {
  if (code === "QUOTE_EXPIRED") return "quote";
  const isPending = code === "BENEFICIARY_NOT_READY";
  return isPending && now.getTime() < dueAt.getTime() + patienceMs ? "wait" : "fail";
}

export function isTooDear({ source }: OrderQuote, { maxSource }: OrderTerms): boolean {
  return maxSource !== undefined && source > maxSource;
}

/** Returns the text of a failure for the merchant. */
export function failureText(failure: OrderFailure): string {
  return isOwn(failure) ? ownFailures[failure] : errorTable[failure].message;
}

/** Returns true if merchants may see the code. */
export function isOrderFailure(code: string): code is OrderFailure {
  return isOwn(code) || Object.hasOwn(errorTable, code);
}

function isOwn(code: string): code is keyof typeof ownFailures {
  return Object.hasOwn(ownFailures, code);
}

/** Returns the known amounts: as ordered, then as quoted; "" until known. */
export function knownAmounts({ terms, quote }: Pick<Order, "terms" | "quote">) {
  const { fixed, amount, source, destination } = terms;
  const sourceMinor = quote?.source ?? (fixed === "source" ? amount : undefined);
  const receiving = quote?.receiving ?? (fixed === "receiving" ? amount : undefined);
  return {
    sourceAmount: sourceMinor === undefined ? "" : formatAmount(sourceMinor, source),
    receivingAmount: receiving === undefined ? "" : formatAmount(receiving, destination),
  };
}

/** An order, its maker, and the operation that decided on it while it was held. */
type DecidedOrder = {
  readonly state: OrderState["state"];
  readonly maker: Who;
  readonly decidedBy: string | undefined;
};

/** Checks whether an operation may decide on a held order. `done`: it has decided already. */
export function decidable(
  { state, maker, decidedBy }: DecidedOrder,
  { operationId, actor }: { readonly operationId: string; readonly actor: Who },
): "decide" | "done" | Refused<"NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN"> {
  if (decidedBy === operationId) return "done";
  if (state !== "awaiting_approval") {
    return refused("NOT_AWAITING_APPROVAL", "This scheduled payout does not await approval.");
  }
  return isSameActor(maker, actor) ? refusedBecause("ACCESS_FORBIDDEN", "same_actor") : "decide";
}
