import { createHash } from "node:crypto";
import { formatAmount } from "@disburse/kernel/money.ts";
import { type Refused, refused, refusedBecause, refusedInState } from "@disburse/kernel/refusal.ts";
import { type OrderTerms, termsContent } from "../../orders/rules/order.ts";
import { isSameActor, type Who } from "../../payouts/rules/approval.ts";

export type BatchState = "awaiting_approval" | "running" | "finished" | "cancelled";

export type LineCounts = Readonly<Record<"waiting" | "executed" | "failed" | "cancelled", number>>;

/** The sum of the lines that fix an amount in the same currency and on the same side. */
export type FixedTotal = {
  readonly currency: string;
  readonly amount: bigint;
  readonly lines: number;
};

/** Sums the fixed source amounts of a batch, and the fixed receiving amounts by currency. */
export function totalsOf(terms: readonly OrderTerms[]): {
  readonly source: FixedTotal | undefined;
  readonly receiving: readonly FixedTotal[];
} {
  const sums = new Map<string, FixedTotal>();
  for (const { fixed, amount, source, destination } of terms) {
    const currency = fixed === "source" ? source : destination;
    const key = `${fixed} ${currency}`;
    const before = sums.get(key);
    sums.set(key, {
      currency,
      amount: (before?.amount ?? 0n) + amount,
      lines: (before?.lines ?? 0) + 1,
    });
  }
  const of = (side: string) =>
    [...sums].filter(([key]) => key.startsWith(side)).map(([, sum]) => sum);
  return { source: of("source")[0], receiving: of("receiving") };
}

/** The approved content of a batch, without its lines. */
export type ApprovedHead = {
  readonly id: string;
  readonly merchantId: string;
  readonly accountId: string;
  readonly currency: string;
  readonly lines: number;
};

/** Hashes the approved content of a batch: SHA-256 in hexadecimal. Add the lines in order. */
export function batchDigest({ id, merchantId, accountId, currency, lines }: ApprovedHead) {
  const hash = createHash("sha256");
  const add = (values: readonly unknown[]) =>
    hash.update(`${JSON.stringify(values.map(String))}\n`);
  add(["1", id, merchantId, accountId, currency, lines]);
  return {
    add: (terms: OrderTerms): void => {
      add(termsContent(terms));
    },
    hex: (): string => hash.digest("hex"),
  };
}

/** Checks whether an actor may decide on a batch. With `byAnother`, the maker may not. */
export function decidable(
  { state, maker, byAnother }: { state: BatchState; maker: Who; byAnother: boolean },
  by: Who,
): "decide" | Refused<"NOT_AWAITING_APPROVAL" | "ACCESS_FORBIDDEN"> {
  if (state !== "awaiting_approval") {
    return refusedInState("NOT_AWAITING_APPROVAL", "batch", state, "awaiting_approval");
  }
  const isOwn = isSameActor(maker, by);
  return byAnother && isOwn ? refusedBecause("ACCESS_FORBIDDEN", "same_actor") : "decide";
}

/**
 * Refuses a maximum below the cost that is certain: the lines with a fixed source amount, fees
 * included. Some of them would fail.
 */
export function approvable(
  maximum: bigint,
  fixed: FixedTotal | undefined,
): "approvable" | Refused<"INVALID_REQUEST"> {
  if (fixed === undefined || maximum >= fixed.amount) return "approvable";
  const { amount, currency, lines } = fixed;
  const sum = `${formatAmount(amount, currency)}, the sum of the ${lines} lines with a source amount`;
  return refused("INVALID_REQUEST", `max_total_amount: must be at least ${sum}`);
}

/**
 * Returns true if the runner may create more payouts. Otherwise direct payouts would wait behind
 * the batch for rail workers.
 */
export function mayGoOn(waitingPayouts: number): boolean {
  return waitingPayouts < waitingMax;
}

/**
 * The maximum number of payouts of a batch that wait for their rail. Rail workers process this many
 * within a second or two.
 */
export const waitingMax = 100;
