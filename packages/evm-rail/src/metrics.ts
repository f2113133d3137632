import type { WalletState } from "@disburse/chain-rail/dispatcher.ts";
import {
  observeWallets,
  seenFunds,
  type WalletObserver,
} from "@disburse/chain-rail/wallet/metrics.ts";
import { type TransferEvent, transferEvents } from "@disburse/chain-rail/work.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatUnits } from "viem";
import type { EvmChainSettings } from "./settings.ts";

const coinDecimals = 18;

/** Registers the metrics of EVM rails. */
export function evmMetrics(
  metrics: Metrics,
  chains: readonly EvmChainSettings[],
): WalletObserver<WalletState, TransferEvent> {
  return observeWallets(metrics, chains, {
    events: transferEvents,
    lowOf: (chain) => ({
      coin: formatUnits(feesOfRound(chain), coinDecimals),
      ...chain.alarm_below,
    }),
    seenOf: ({ snapshot, ...state }: WalletState, { tokens }) => ({
      ...state,
      ...seenFunds(snapshot, coinDecimals, (currency) => tokens[currency]?.decimals ?? 0),
      blocked: { nonce: state.blocked === "nonce", fees: state.blocked === "fees" },
    }),
  });
}

/**
 * Returns the maximum cost of `unmined_max` simultaneous transfers at the fee cap. If the wallet
 * has less, some transfers wait.
 */
function feesOfRound({ tokens, native_gas_limit: nativeGas, ...chain }: EvmChainSettings): bigint {
  const gas = Math.max(nativeGas, ...Object.values(tokens).map((token) => token.gas_limit));
  return BigInt(chain.unmined_max) * BigInt(gas) * chain.max_fee_gwei;
}
