import {
  observeWallets,
  type WalletObserver,
  wholeUnits,
} from "@disburse/chain-rail/wallet/metrics.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { WalletState } from "./dispatcher.ts";
import { type BitcoinSettings, currency } from "./settings.ts";
import { type BatchEvent, batchEvents } from "./work.ts";

/** Registers the metrics of Bitcoin rails. */
export function bitcoinMetrics(
  metrics: Metrics,
  rails: readonly BitcoinSettings[],
): WalletObserver<WalletState, BatchEvent> {
  const coins = metrics.gauge(
    "disburse_wallet_coins",
    "Final coins of a Bitcoin wallet. Each open batch needs at least one.",
    ["rail"],
  );
  const observer = observeWallets(metrics, rails, {
    events: batchEvents,
    lowOf: ({ alarm_below: below }) => ({ [currency]: below }),
    seenOf: ({ balance, blocked, isAtBound, ...state }: WalletState) => ({
      ...state,
      balances: new Map([[currency, wholeUnits(balance, 8)]]),
      blocked: {
        transactions: blocked === "transactions",
        fees: blocked === "fees",
        bound: isAtBound,
      },
    }),
  });
  return {
    ...observer,
    seen: (rail, state) => {
      observer.seen(rail, state);
      coins.set({ rail }, state.coins);
    },
  };
}
