import { walletMetrics } from "@disburse/chain-rail/wallet-metrics.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import type { WalletState } from "./dispatcher.ts";
import { type BitcoinSettings, currency } from "./settings.ts";
import { type BatchEvent, batchEvents } from "./work.ts";

export type BitcoinMetrics = ReturnType<typeof bitcoinMetrics>;

/** Registers the metrics of Bitcoin rails. */
export function bitcoinMetrics(metrics: Metrics, rails: readonly BitcoinSettings[]) {
  const wallet = walletMetrics(metrics);
  const coins = metrics.gauge(
    "disburse_wallet_coins",
    "Final coins of a Bitcoin wallet. Each open batch needs at least one.",
    ["rail"],
  );
  for (const { rail, nodes, alarm_below: below } of rails) {
    wallet.low.set({ rail, currency }, Number(below));
    for (const event of batchEvents) wallet.happened.inc({ rail, event }, 0);
    for (const node of nodes.keys()) wallet.failures.inc({ rail, node }, 0);
  }
  return {
    seen: (rail: string, state: WalletState): void => {
      const balance = formatDecimal({ units: state.balance, scale: 8 });
      wallet.balance.set({ rail, currency }, Number(balance));
      wallet.unmined.set({ rail }, state.unmined);
      wallet.oldest.set({ rail }, state.oldestUnminedMs / 1_000);
      wallet.waiting.set({ rail }, state.waiting);
      coins.set({ rail }, state.coins);
      const { blocked, isAtBound } = state;
      wallet.blocked.set({ rail, reason: "transactions" }, blocked === "transactions" ? 1 : 0);
      wallet.blocked.set({ rail, reason: "fees" }, blocked === "fees" ? 1 : 0);
      wallet.blocked.set({ rail, reason: "bound" }, isAtBound ? 1 : 0);
    },
    happened: (rail: string, event: BatchEvent): void => wallet.happened.inc({ rail, event }),
    nodeFailed: (rail: string, node: number): void => wallet.failures.inc({ rail, node }),
  };
}
