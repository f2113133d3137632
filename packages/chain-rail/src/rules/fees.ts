import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";

/** The gas fees that a transaction offers, in the smallest unit of the chain's coin (EIP-1559). */
export type Fees = {
  /** The maximum price of a unit of gas. */
  readonly max: bigint;
  /** The block producer's part of it. */
  readonly tip: bigint;
};

export type FeePolicy = {
  /** The maximum price of a unit of gas in any transaction. */
  readonly cap: bigint;
  /** The producer's part in a new transaction. */
  readonly tip: bigint;
  /** The time after which an unmined transaction gets higher fees. */
  readonly bumpAfterMs: number;
};

/** An eighth. Nodes replace a transaction whose fees rise by a tenth (geth `pricebump`). */
const bumpDivisor = 8n;
/** Twice the base fee covers six full blocks, each of which raises it by an eighth (EIP-1559). */
const baseFeeFactor = 2n;
/** Limits the signed variants of one nonce. Each raised the fees by an eighth. */
const attemptsMax = 24;

/** Returns the fees of a new transaction; `undefined` if the chain's price exceeds the cap now. */
export function firstFees(baseFee: bigint, { cap, tip }: FeePolicy): Fees | undefined {
  if (baseFee + tip > cap) return undefined;
  const wanted = baseFeeFactor * baseFee + tip;
  return { max: leastOf(wanted, cap), tip };
}

/** Returns the fees of a transaction that must be sent at any price, up to the cap. */
export function boundedFees(baseFee: bigint, policy: FeePolicy): Fees {
  const { cap, tip } = policy;
  return firstFees(baseFee, policy) ?? { max: cap, tip: leastOf(tip, cap) };
}

export type LastAttempt = { readonly fees: Fees; readonly atMs: number; readonly count: number };

/**
 * Returns the fees of the next variant of an unmined transaction; `undefined` if it is recent, or
 * if a rise that nodes accept would exceed the cap.
 */
export function bumpedFees(
  last: LastAttempt,
  baseFee: bigint,
  nowMs: number,
  policy: FeePolicy,
): Fees | undefined {
  if (nowMs - last.atMs < policy.bumpAfterMs || last.count >= attemptsMax) return undefined;
  if (raised(last.fees.max) > policy.cap) return undefined;
  return replacingFees(last.fees, baseFee, policy);
}

/**
 * Returns the fees of a transaction that replaces an unmined one: higher, as nodes require. At the
 * cap they cannot rise. Nodes that have the other transaction then refuse it until the cap is
 * raised.
 */
export function replacingFees(last: Fees, baseFee: bigint, policy: FeePolicy): Fees {
  const wanted = boundedFees(baseFee, policy);
  const max = leastOf(greatestOf(wanted.max, raised(last.max)), policy.cap);
  return { max, tip: leastOf(greatestOf(wanted.tip, raised(last.tip)), max) };
}

/** Raises a fee by an eighth, rounded up, and by at least one. */
function raised(fee: bigint): bigint {
  return fee + fee / bumpDivisor + 1n;
}
