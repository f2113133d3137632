import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";

/** The gas fees that a transaction offers, in the smallest unit of the chain's coin (EIP-1559). */
export type Fees = {
  /** The maximum price of a unit of gas. */
  readonly max: bigint;
  /** The block producer's share of that price. */
  readonly tip: bigint;
};

export type FeePolicy = {
  /** The upper limit for `max` in any transaction. */
  readonly cap: bigint;
  /** The block producer's share in a new transaction. */
  readonly tip: bigint;
  /** The time after which an unmined transaction gets higher fees. */
  readonly bumpAfterMs: number;
};

/**
 * Fees rise by an eighth. Nodes require a rise of at least a tenth to replace a transaction (geth
 * `pricebump`).
 */
const bumpDivisor = 8n;
/**
 * Twice the base fee is enough for six full blocks in a row. Each full block raises the base fee by
 * an eighth (EIP-1559).
 */
const baseFeeFactor = 2n;
/**
 * The maximum number of signed variants of one nonce. Each variant raises the fees by an eighth.
 */
const attemptsMax = 24;

/**
 * Returns the fees of a new transaction. Returns `undefined` if the chain's current price exceeds
 * the cap.
 */
export function firstFees(baseFee: bigint, { cap, tip }: FeePolicy): Fees | undefined {
  if (baseFee + tip > cap) return undefined;
  const wanted = baseFeeFactor * baseFee + tip;
  return { max: leastOf(wanted, cap), tip };
}

/**
 * Returns the fees of a transaction that must be sent even if the chain's price exceeds the cap.
 * The fees never exceed the cap.
 */
export function boundedFees(baseFee: bigint, policy: FeePolicy): Fees {
  const { cap, tip } = policy;
  return firstFees(baseFee, policy) ?? { max: cap, tip: leastOf(tip, cap) };
}

export type LastAttempt = { readonly fees: Fees; readonly atMs: number; readonly count: number };

/**
 * Returns the fees of the next variant of an unmined transaction. Returns `undefined` if the last
 * variant is recent, if the maximum number of variants is reached, or if the smallest rise that
 * nodes accept would exceed the cap.
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
 * Returns the fees of a transaction that replaces an unmined one. Nodes require higher fees than
 * before. Fees at the cap can't rise, so nodes that already have the earlier transaction refuse the
 * new one until operators raise the cap.
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
