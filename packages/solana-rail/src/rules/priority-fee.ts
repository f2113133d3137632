import { greatestOf, leastOf } from "@disburse/kernel/bigint.ts";

/** The bounds of the priority fee, in micro-lamports for a unit of computation. */
export type PriorityFees = { readonly min: bigint; readonly max: bigint };

/** Fees above those of three quarters of the recent blocks are included soon. */
const percentile = 0.75;
const microLamports = 1_000_000n;
/** The network's fee for a signature, in lamports. */
const signatureFee = 5_000n;

/**
 * Returns the priority fee by the nodes' reports on recent blocks. The highest report counts, and
 * the bounds limit it.
 */
export function priorityFee(
  reports: readonly (readonly bigint[])[],
  { min, max }: PriorityFees,
): bigint {
  const wanted = reports.map((fees) => {
    const sorted = fees.toSorted((one, other) => (one < other ? -1 : 1));
    return sorted[Math.floor(percentile * sorted.length)] ?? 0n;
  });
  return leastOf(greatestOf(min, ...wanted), max);
}

/** Returns the fee of a transaction with one signature in lamports, rounded up. */
export function transactionFee(pricePerUnit: bigint, units: number): bigint {
  return signatureFee + (pricePerUnit * BigInt(units) + microLamports - 1n) / microLamports;
}
