import { transferEvents } from "@disburse/chain-rail/work.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatUnits } from "viem";
import type { EvmMetrics } from "./open.ts";
import type { EvmChainSettings } from "./settings.ts";

const coinDecimals = 18;

const reasons = ["nonce", "fees"] as const;

/**
 * Registers the metrics of EVM rails. Their labels are rail names, currencies and the index of a
 * node in the configuration.
 */
export function evmMetrics(metrics: Metrics, chains: readonly EvmChainSettings[]): EvmMetrics {
  const { balance, low, unmined, oldest, waiting, blocked } = walletGauges(metrics);
  const happened = metrics.counter(
    "disburse_chain_transfer_events_total",
    "Unusual events of blockchain transfers, such as a reorganisation or a lost nonce, by event.",
    ["rail", "event"],
  );
  const failures = metrics.counter(
    "disburse_chain_node_failures_total",
    "Failed calls to an Ethereum node, by the node's index in rpc_urls.",
    ["rail", "node"],
  );
  const orphans = metrics.gauge(
    "disburse_chain_transfers_orphaned",
    "Open transfers of wallets that are not in EVM_CHAINS, counted when the process started.",
  );
  for (const chain of chains) {
    const { rail, rpc_urls: urls } = chain;
    const alarms = { coin: formatUnits(feesOfRound(chain), coinDecimals), ...chain.alarm_below };
    for (const [currency, amount] of Object.entries(alarms)) {
      low.set({ rail, currency }, Number(amount));
    }
    for (const event of transferEvents) happened.inc({ rail, event }, 0);
    for (const node of urls.keys()) failures.inc({ rail, node }, 0);
  }
  const byRail = new Map(chains.map((chain) => [chain.rail, chain]));
  return {
    seen: (rail, { snapshot, ...state }) => {
      const { coin, tokens } = snapshot.funds;
      balance.set({ rail, currency: "coin" }, Number(formatUnits(coin, coinDecimals)));
      for (const [currency, units] of tokens) {
        const decimals = byRail.get(rail)?.tokens[currency]?.decimals ?? 0;
        balance.set({ rail, currency }, Number(formatUnits(units, decimals)));
      }
      unmined.set({ rail }, state.unmined);
      oldest.set({ rail }, state.oldestUnminedMs / 1_000);
      waiting.set({ rail }, state.waiting);
      for (const reason of reasons) {
        blocked.set({ rail, reason }, state.blocked === reason ? 1 : 0);
      }
    },
    happened: (rail, event) => happened.inc({ rail, event }),
    orphaned: (count) => orphans.set(count),
    nodeFailed: (rail, node) => failures.inc({ rail, node }),
  };
}

function walletGauges(metrics: Metrics) {
  const balance = metrics.gauge(
    "disburse_wallet_balance",
    "Balance of a rail's wallet in whole units, by currency. The currency coin is the chain's coin, which pays its fees.",
    ["rail", "currency"],
  );
  const low = metrics.gauge(
    "disburse_wallet_balance_low",
    "Balance of a rail's wallet below which an alert fires, in whole units, by currency.",
    ["rail", "currency"],
  );
  const unmined = metrics.gauge(
    "disburse_wallet_unmined",
    "Nonces of a rail's wallet that are assigned to a transfer but not mined.",
    ["rail"],
  );
  const oldest = metrics.gauge(
    "disburse_wallet_oldest_unmined_seconds",
    "Seconds since the oldest unmined transaction of a wallet was first signed; 0 if there is none.",
    ["rail"],
  );
  const waiting = metrics.gauge(
    "disburse_wallet_waiting_transfers",
    "Accepted transfers of a wallet that have no nonce yet; counted up to 1,000.",
    ["rail"],
  );
  const blocked = metrics.gauge(
    "disburse_wallet_blocked",
    "1 if the wallet assigns no nonces, because unknown transactions used them or fees exceed the cap.",
    ["rail", "reason"],
  );
  return { balance, low, unmined, oldest, waiting, blocked };
}

/**
 * Returns the maximum cost of `unmined_max` simultaneous transfers at the fee cap. If the wallet
 * has less, some transfers wait.
 */
function feesOfRound({ tokens, native_gas_limit: nativeGas, ...chain }: EvmChainSettings): bigint {
  const gas = Math.max(nativeGas, ...Object.values(tokens).map((token) => token.gas_limit));
  return BigInt(chain.unmined_max) * BigInt(gas) * chain.max_fee_gwei;
}
