import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";

/** Bounds of fee rates, in satoshi per virtual byte. */
export type FeePolicy = {
  readonly min: bigint;
  readonly max: bigint;
  /** The time after which an unmined transaction gets a higher fee. */
  readonly bumpAfterMs: number;
};

/** Fee rates rise by a quarter. Nodes require at least their incremental relay fee. */
const bumpDivisor = 4n;
/**
 * The rise per virtual byte that nodes require of a replacement (Bitcoin Core
 * `incrementalrelayfee`), with a margin of 1.
 */
export const incrementalRate = 2n;

/**
 * Returns the fee rate of a new transaction. `estimates` are the nodes' estimates. The lowest one
 * counts, so that one node can't raise the fees; a rate that is too low rises later. Returns
 * `undefined` if the rate exceeds the bound.
 */
export function firstRate(estimates: readonly bigint[], { min, max }: FeePolicy) {
  const [first, ...others] = estimates;
  const wanted = first === undefined ? min : greatestOf(min, leastOf(first, ...others));
  return wanted > max ? undefined : wanted;
}

/**
 * Returns the fee rate of a transaction that replaces an unmined one. Returns `undefined` if the
 * smallest rise would exceed the bound.
 */
export function bumpedRate(last: bigint, estimates: readonly bigint[], policy: FeePolicy) {
  const least = raised(last);
  if (least > policy.max) return undefined;
  return greatestOf(least, firstRate(estimates, policy) ?? policy.max);
}

/** Returns the smallest rate that replaces a rate. */
export function raised(rate: bigint): bigint {
  return rate + greatestOf(1n, rate / bumpDivisor);
}

/** Returns the rate of a transaction, rounded down. */
export function rateOf(fee: bigint, vsize: number): bigint {
  return fee / BigInt(vsize);
}

/**
 * Returns the fee of a child that gives it and its parent a rate. It also pays the child's own
 * relay.
 */
export function childFee(
  rate: bigint,
  parent: { readonly fee: bigint; readonly vsize: number },
  vsize: number,
): bigint {
  const together = rate * BigInt(parent.vsize + vsize) - parent.fee;
  return greatestOf(together, rate * BigInt(vsize));
}

/**
 * Returns a payout's share of a fee. The shares of all payouts are whole satoshi and sum to the
 * fee: the first payouts bear the remainder.
 */
export function shareOf(fee: bigint, index: number, count: number): bigint {
  const [share, rest] = [fee / BigInt(count), fee % BigInt(count)];
  return BigInt(index) < rest ? share + 1n : share;
}
