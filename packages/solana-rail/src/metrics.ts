import {
  observeWallets,
  seenFunds,
  type WalletObserver,
} from "@disburse/chain-rail/wallet/metrics.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { type TransferEvent, transferEvents, type WalletState } from "./dispatcher.ts";
import { transactionFee } from "./rules/priority-fee.ts";
import type { SolanaSettings } from "./settings.ts";
import { computeUnits } from "./transaction.ts";

/** The rent of a token account in lamports, for the default alarm threshold. */
const tokenRent = 2_100_000n;
const coinDecimals = 9;

/** Registers the metrics of Solana rails. */
export function solanaMetrics(
  metrics: Metrics,
  chains: readonly SolanaSettings[],
): WalletObserver<WalletState, TransferEvent> {
  return observeWallets(metrics, chains, {
    events: transferEvents,
    lowOf: (chain) => ({
      coin: formatDecimal({ units: costOfRound(chain), scale: coinDecimals }),
      ...chain.alarm_below,
    }),
    seenOf: ({ snapshot, ...state }: WalletState) => ({
      ...state,
      ...seenFunds(snapshot, coinDecimals, (currency) => snapshot.decimals.get(currency) ?? 0),
    }),
  });
}

/** Returns the maximum cost of `unsettled_max` transfers. With less, some transfers wait. */
function costOfRound({ unsettled_max, priority_fee, tokens }: SolanaSettings): bigint {
  const rent = Object.keys(tokens).length > 0 ? tokenRent : 0n;
  return BigInt(unsettled_max) * (transactionFee(priority_fee.max, computeUnits) + rent);
}
