import { currencyOf } from "@disburse/kernel/currency.ts";
import type { Minor, Payout } from "../documents.ts";
import { expectationsOf, type Finding } from "../finding.ts";
import type { Mined } from "./node.ts";

export type ChainTransfer = {
  readonly _id: string;
  /** Chain number and address: `1:0x…`. */
  readonly wallet: string;
  readonly currency: string;
  readonly amount_minor: Minor;
  readonly to: string;
  readonly state: string;
  /** True for a transaction that uses a nonce without making a payment. */
  readonly gap?: boolean;
  readonly since?: number;
  /** Every transaction that was signed for this transfer. */
  readonly attempts: readonly { readonly id: string; readonly cancels?: boolean }[];
  readonly end?: { readonly id: string };
};

/**
 * A successful payment. Holds the number of received token units, and the number of token units in
 * one minor unit.
 */
type Paid = { readonly hash: string; readonly units: bigint; readonly scale: bigint };

/** Decimals of a chain's native coin. */
const coinDecimals = 18;

/**
 * Compares a transfer and its payout with the chain. A settled transfer must have been paid once,
 * by the named transaction and with the right amount. Any other transfer must not have been paid.
 */
export function checkChainTransfer(
  transfer: ChainTransfer,
  payout: Pick<Payout, "_id" | "progress"> | undefined,
  mined: readonly Mined[],
  decimalsOf: (contract: string) => number,
): Finding[] {
  const { findings, expect } = expectationsOf(transfer._id);
  const paid = mined.flatMap((each) => paidBy(transfer, each, decimalsOf) ?? []);
  expect(15, paid.length <= 1, `was paid by ${paid.length} transactions`);
  if (transfer.gap) {
    expect(15, paid.length === 0, "should only fill a nonce gap, but paid");
    return findings;
  }
  expect(15, payout !== undefined, "the rail has a transfer without a payout");
  const { stage = "", reference } = payout?.progress ?? {};
  const isOver = ["rejected", "cancelled", "withdrawn"].includes(transfer.state);
  expect(15, !(isOver && paid.length > 0), `is ${transfer.state}, but the chain has paid it`);
  const isFailed = stage === "rejected" || stage === "cancelled";
  expect(15, !(isFailed && paid.length > 0), `its payout is ${stage}, but the chain has paid it`);
  if (transfer.state === "settled") {
    const [first] = paid;
    expect(15, first !== undefined, "is settled, but no transaction of it is on the chain");
    expect(15, first?.hash === transfer.end?.id, "was paid by another transaction than it names");
    const minor = BigInt(transfer.amount_minor.toString());
    const { units = 0n, scale = 1n } = first ?? {};
    const isWhole = first === undefined || units === minor * scale;
    expect(15, isWhole, `was paid ${units} units of ${minor * scale}`);
  }
  if (stage === "settled") {
    expect(
      15,
      paid.some(({ hash }) => hash === reference),
      "its payout does not name its payment",
    );
  }
  return findings;
}

/**
 * Returns the minor units that a transaction paid to the recipient, or `undefined` if it paid
 * nothing.
 */
function paidBy(
  { wallet, to, currency, attempts }: ChainTransfer,
  { hash, succeeded, value, moves, ...mined }: Mined,
  decimalsOf: (contract: string) => number,
): Paid | undefined {
  const isCancel = attempts.some(({ id, cancels }) => id === hash && cancels === true);
  if (!succeeded || isCancel) return undefined;
  const from = wallet.slice(wallet.indexOf(":") + 1);
  const own = moves.filter((move) => move.from === from && move.to === to.toLowerCase());
  const isCoin = mined.to === to.toLowerCase() && value > 0n;
  const sum = own.reduce((total, move) => total + move.value, isCoin ? value : 0n);
  if (sum === 0n) return undefined;
  const [move] = own;
  const decimals = move === undefined ? coinDecimals : decimalsOf(move.contract);
  const scale = 10n ** BigInt(decimals - currencyOf(currency).decimals);
  return { hash, units: sum, scale };
}
