import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatUnits } from "viem";
import type { EvmMetrics } from "./open.ts";
import type { EvmChainSettings } from "./settings.ts";

/** The decimals of an EVM chain's own coin. */
const coinDecimals = 18;

const events = ["bumped", "nonce_lost", "reverted", "unclear", "reorganised"] as const;
const reasons = ["nonce", "fees"] as const;

/** The series of EVM rails. Labels: names of rails, currencies, the place of a node in its list. */
export function evmMetrics(metrics: Metrics, chains: readonly EvmChainSettings[]): EvmMetrics {
  const balance = metrics.gauge(
    "disburse_wallet_balance",
    "What a rail's wallet has, by currency in whole units; coin: the chain's own, for its fees.",
    ["rail", "currency"],
  );
  const unmined = metrics.gauge(
    "disburse_wallet_unmined",
    "Nonces of a rail's wallet whose transactions no node has in a block.",
    ["rail"],
  );
  const waiting = metrics.gauge(
    "disburse_wallet_waiting_transfers",
    "Transfers that a rail has taken and that have no nonce yet; to 1,000.",
    ["rail"],
  );
  const blocked = metrics.gauge(
    "disburse_wallet_blocked",
    "1 where no transfer gets a nonce: nonces were used outside, or the chain costs too much.",
    ["rail", "reason"],
  );
  const happened = metrics.counter(
    "disburse_chain_transfer_events_total",
    "What happened to transfers on chains beside their settlement.",
    ["rail", "event"],
  );
  const failures = metrics.counter(
    "disburse_chain_node_failures_total",
    "Calls that a node of a chain did not answer, by its place in the configuration.",
    ["rail", "node"],
  );
  for (const { rail, rpc_urls: urls } of chains) {
    for (const event of events) happened.inc({ rail, event }, 0);
    for (const node of urls.keys()) failures.inc({ rail, node }, 0);
  }
  const byRail = new Map(chains.map((chain) => [chain.rail, chain]));
  return {
    seen: (rail, { look, ...state }) => {
      const { coin, tokens } = look.funds;
      balance.set({ rail, currency: "coin" }, Number(formatUnits(coin, coinDecimals)));
      for (const [currency, units] of tokens) {
        const decimals = byRail.get(rail)?.tokens[currency]?.decimals ?? 0;
        balance.set({ rail, currency }, Number(formatUnits(units, decimals)));
      }
      unmined.set({ rail }, state.unmined);
      waiting.set({ rail }, state.waiting);
      for (const reason of reasons) {
        blocked.set({ rail, reason }, state.blocked === reason ? 1 : 0);
      }
    },
    happened: (rail, event) => happened.inc({ rail, event }),
    nodeFailed: (rail, node) => failures.inc({ rail, node }),
  };
}
