import { findCurrency } from "@disburse/kernel/currency.ts";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import { failureMessages } from "@disburse/kernel/failure.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import {
  invalidRequest,
  isRefused,
  type Refused,
  refusedBecause,
  refusedInState,
  type Violation,
} from "@disburse/kernel/refusal.ts";
import { isSameActor, type Who } from "../../payouts/rules/approval.ts";
import { detailsOf, detailsText, type PayoutDetails } from "../../payouts/rules/payout.ts";

/** The parties, amount and maximum cost: everything that a quote and its execution need. */
export type OrderTerms = {
  readonly details: PayoutDetails;
  readonly accountId: string;
  readonly beneficiaryId: string;
  readonly source: string;
  readonly destination: string;
  /** The side whose amount is fixed. `amount` is in the currency of this side. */
  readonly fixed: "source" | "receiving";
  readonly amount: bigint;
  /** In minor units of the source currency, including fees. `undefined` if there is no maximum. */
  readonly maxSource: bigint | undefined;
  /** True to skip the duplicate guard. */
  readonly allowDuplicate: boolean;
};

/** Returns the terms as values for digests. Equal terms give equal values. */
export function termsContent(terms: OrderTerms): readonly unknown[] {
  const { fixed, amount, maxSource = "", details, allowDuplicate } = terms;
  return [
    ...[terms.accountId, terms.beneficiaryId, terms.source, terms.destination],
    ...[fixed, amount, maxSource, detailsText(details), allowDuplicate],
  ];
}

/** The quote of an order. Once it is bound, the quote decides whether the order gets a payout. */
export type OrderQuote = {
  readonly id: string;
  readonly source: bigint;
  readonly receiving: bigint;
};

/**
 * The cause of a failed order. It is the refusal of a quote or an execute, or a cause of the order
 * itself (`ownFailures`).
 */
export type OrderFailure = ErrorCode | keyof typeof ownFailures;

/** Failures that come from an order's own limits and decisions. */
const ownFailures = {
  COST_ABOVE_MAXIMUM: "The quote costs more than the order's maximum.",
  BATCH_TOTAL_EXCEEDED: "With this line, the batch would cost more than its maximum.",
  APPROVAL_EXPIRED: failureMessages.APPROVAL_EXPIRED,
} as const;

export type OrderState =
  | { readonly state: "reserving" | "waiting" | "awaiting_approval" }
  | { readonly state: "executed"; readonly payoutId: string }
  | { readonly state: "failed"; readonly failure: OrderFailure; readonly detail?: string }
  | { readonly state: "cancelled" };

/** Refusals that a waiting payout outlasts: it is quoted again until it expires. */
export const waitReasons = [
  "INSUFFICIENT_BALANCE",
  "COST_ABOVE_MAXIMUM",
  "BENEFICIARY_NOT_READY",
] as const;

export type WaitReason = (typeof waitReasons)[number];

/** The wait of an executed payout for its account's balance (docs/decisions/0079). */
export type BalanceWait = {
  readonly since: Date;
  readonly expiresAt: Date;
  /** True if the payout had expired by the database's clock when this worker leased it. */
  readonly hasExpired: boolean;
  /** True until the executed quote has ended. Nobody sees the payout before. */
  readonly isPreparing: boolean;
  /** The last refusal. */
  readonly reason: WaitReason;
};

/** An instruction to create a payout later. */
export type Order = OrderState & {
  readonly id: string;
  readonly merchantId: string;
  readonly terms: OrderTerms;
  /** The number of the attempt, from 1. Increases when a quote ends without a payout. */
  readonly attempt: number;
  readonly quote: OrderQuote | undefined;
  /** Only of a payout that waits for balance. */
  readonly wait?: BalanceWait | undefined;
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

/** The currencies of the parties; `undefined` for an unknown account or beneficiary. */
export type OrderParties = {
  readonly account: string | undefined;
  readonly beneficiary: string | undefined;
};

/**
 * Returns an order's terms, or all fields that don't match its account and beneficiary. Reports
 * nothing about an unknown party, which the caller refuses. Whether the order can be quoted and
 * paid is checked only when it is due.
 */
export function orderTerms(sent: SentTerms, parties: OrderParties): OrderTerms | Violation[] {
  const { sourceCurrencyCode: source, destinationCurrencyCode: destination } = sent;
  const mismatches = [
    mismatch("source_currency_code", source, "account", parties.account),
    mismatch("destination_currency_code", destination, "beneficiary", parties.beneficiary),
  ].flat();
  // Amounts are in the currencies of the parties, even if the order names other ones.
  const currencies = {
    source: parties.account ?? source,
    destination: parties.beneficiary ?? destination,
  };
  const isKnown = Object.values(currencies).every((each) => findCurrency(each) !== undefined);
  if (!isKnown) return mismatches;
  const amounts = orderAmounts(sent, currencies);
  if (Array.isArray(amounts)) return [...mismatches, ...amounts];
  if (mismatches.length > 0) return mismatches;
  const { accountId, beneficiaryId, allowDuplicate } = sent;
  const cost = { source, destination, ...amounts };
  return { accountId, beneficiaryId, ...cost, details: detailsOf(sent), allowDuplicate };
}

function orderAmounts(
  { sourceAmount, receivingAmount, maxSourceAmount }: SentTerms,
  { source, destination }: Pick<OrderTerms, "source" | "destination">,
): Pick<OrderTerms, "fixed" | "amount" | "maxSource"> | Violation[] {
  const fixed = sourceAmount === "" ? "receiving" : "source";
  const amount =
    fixed === "source"
      ? parseAmount(sourceAmount, source)
      : parseAmount(receivingAmount, destination);
  const max = maxSourceAmount === "" ? undefined : parseAmount(maxSourceAmount, source);
  const problems: Violation[] = [];
  if (isRefused(amount)) problems.push({ field: `${fixed}_amount`, problem: amount.detail ?? "" });
  if (isRefused(max)) problems.push({ field: "max_source_amount", problem: max.detail ?? "" });
  if (isRefused(amount) || isRefused(max)) return problems;
  if (fixed === "source" && max !== undefined && max < amount) {
    return [{ field: "max_source_amount", problem: "must not be below source_amount" }];
  }
  return { fixed, amount, maxSource: max };
}

function mismatch(field: string, sent: string, of: string, its: string | undefined): Violation[] {
  if (its === undefined || its === sent) return [];
  return [{ field, problem: `must be the ${of}'s currency, ${its}` }];
}

/** The furthest time ahead: a year, with one more day for leap years. */
export const aheadMaxMs = 366 * 86_400_000;

/** Returns the time of an order. Refuses a time in the past or too far ahead. */
export function scheduledTime(at: Date, now: Date): Date | Refused<"INVALID_REQUEST"> {
  const ahead = at.getTime() - now.getTime();
  if (ahead > 0 && ahead <= aheadMaxMs) return at;
  const problem = ahead > 0 ? "must be at most 366 days ahead" : "must be in the future";
  return invalidRequest([{ field: "scheduled_at", problem }]);
}

/** How long after its due time an order waits for its beneficiary's screening before it fails. */
export const patienceMs = 24 * 3_600_000;

/**
 * Returns the next step after a refusal of a quote or an execute. The order fails, gets a new quote
 * because its own expired, or waits for the screening of its beneficiary. A payout that waits for
 * balance waits again.
 */
export function afterRefusal(
  code: string,
  {
    dueAt,
    now,
    wait,
    mayQueue = false,
  }: Pick<Order, "wait"> & {
    readonly dueAt: Date;
    readonly now: Date;
    /** True for a line of a batch that waits for balance. */
    readonly mayQueue?: boolean;
  },
): "quote" | "wait" | "wait again" | "queue" | "fail" {
  if (wait?.hasExpired === true) return "fail";
  if (code === "QUOTE_EXPIRED") return "quote";
  if (mayQueue && code === "INSUFFICIENT_BALANCE") return "queue";
  if (wait !== undefined) return isWaitReason(code) ? "wait again" : "fail";
  const isPending = code === "BENEFICIARY_NOT_READY";
  return isPending && now.getTime() < dueAt.getTime() + patienceMs ? "wait" : "fail";
}

export function isWaitReason(code: string): code is WaitReason {
  return waitReasons.some((each) => each === code);
}

/** Returns true if a quote costs more than the order's maximum. */
export function isAboveMaximum(
  { source }: Pick<OrderQuote, "source">,
  { maxSource }: Pick<OrderTerms, "maxSource">,
): boolean {
  return maxSource !== undefined && source > maxSource;
}

/** Returns the message about a failure that the merchant sees. */
export function failureText(failure: OrderFailure): string {
  return isOwn(failure) ? ownFailures[failure] : errorTable[failure].message;
}

/** Returns true if the code is an order failure that merchants may see. */
export function isOrderFailure(code: string): code is OrderFailure {
  return isOwn(code) || Object.hasOwn(errorTable, code);
}

function isOwn(code: string): code is keyof typeof ownFailures {
  return Object.hasOwn(ownFailures, code);
}

/** Returns the amounts as ordered or, once there is a quote, as quoted. An unknown amount is "". */
export function knownAmounts({ terms, quote }: Pick<Order, "terms" | "quote">) {
  const { fixed, amount, source, destination } = terms;
  const sourceMinor = quote?.source ?? (fixed === "source" ? amount : undefined);
  const receiving = quote?.receiving ?? (fixed === "receiving" ? amount : undefined);
  return {
    sourceAmount: sourceMinor === undefined ? "" : formatAmount(sourceMinor, source),
    receivingAmount: receiving === undefined ? "" : formatAmount(receiving, destination),
  };
}

/**
 * The facts that a decision on an order depends on: its state, its maker, and the operation that
 * has already decided on it.
 */
type DecidedOrder = {
  readonly state: OrderState["state"];
  readonly maker: Who;
  readonly decidedBy: string | undefined;
  /** True if the order is a payout that waits for balance. */
  readonly isWait: boolean;
};

/**
 * Checks whether an operation may decide on a held order. Returns `done` if the same operation has
 * already decided.
 */
export function decidable(
  { state, maker, decidedBy, isWait }: DecidedOrder,
  { operationId, actor }: { readonly operationId: string; readonly actor: Who },
): "decide" | "done" | Refused<"NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN"> {
  if (decidedBy === operationId) return "done";
  if (state !== "awaiting_approval") {
    const record = isWait ? "payout" : "scheduled payout";
    const open = isWait ? "awaiting_balance" : "scheduled";
    const shown = state === "waiting" ? open : state;
    return refusedInState("NOT_AWAITING_APPROVAL", record, shown, "awaiting_approval");
  }
  return isSameActor(maker, actor) ? refusedBecause("ACCESS_FORBIDDEN", "same_actor") : "decide";
}
