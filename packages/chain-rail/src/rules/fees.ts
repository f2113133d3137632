import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";

/** What a transaction offers for its gas, in the smallest unit of the chain's coin (EIP-1559). */
export type Fees = {
  /** The most that a unit of gas may cost. */
  readonly max: bigint;
  /** What of it the block's producer gets. */
  readonly tip: bigint;
};

/** The bounds of the fees of a chain. */
export type FeePolicy = {
  /** No transaction offers more for a unit of gas. */
  readonly cap: bigint;
  /** What a new transaction offers the producer. */
  readonly tip: bigint;
  /** An unmined transaction gets higher fees after so long. */
  readonly bumpAfterMs: number;
};

/** An eighth; nodes replace a transaction whose fees rise by a tenth (geth `pricebump`). */
const bumpDivisor = 8n;
/** Twice the base fee covers six full blocks, each of which raises it by an eighth (EIP-1559). */
const baseFeeFactor = 2n;
/** Signed variants of one nonce; each was worth a rise of an eighth. */
const attemptsMax = 24;

/** The fees of a new transaction; `undefined`: the chain costs more than the cap now. */
export function firstFees(baseFee: bigint, { cap, tip }: FeePolicy): Fees | undefined {
  if (baseFee + tip > cap) return undefined;
  const wanted = baseFeeFactor * baseFee + tip;
  return { max: leastOf(wanted, cap), tip };
}

/** The fees of a transaction that has to be sent whatever the chain costs: the cap at most. */
export function boundedFees(baseFee: bigint, policy: FeePolicy): Fees {
  const { cap, tip } = policy;
  return firstFees(baseFee, policy) ?? { max: cap, tip: leastOf(tip, cap) };
}

/** The last signed variant of a nonce. */
export type LastAttempt = { readonly fees: Fees; readonly atMs: number; readonly count: number };

/**
 * The fees of the next variant of an unmined transaction; `undefined`: it stays as it is, since it
 * is young, or a rise that nodes accept would be above the cap.
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
 * The fees of a transaction that takes the nonce from an unmined one: higher, as nodes ask for. At
 * the cap they cannot be: nodes that have the other one refuse it until the cap is raised.
 */
export function replacingFees(last: Fees, baseFee: bigint, policy: FeePolicy): Fees {
  const wanted = boundedFees(baseFee, policy);
  const max = leastOf(greatestOf(wanted.max, raised(last.max)), policy.cap);
  return { max, tip: leastOf(greatestOf(wanted.tip, raised(last.tip)), max) };
}

/** Raised by an eighth, rounded up, and by one at least. */
function raised(fee: bigint): bigint {
  return fee + fee / bumpDivisor + 1n;
}
