import { walletMetrics } from "@disburse/chain-rail/wallet-metrics.ts";
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
  const { balance, low, unmined, oldest, waiting, blocked, frozen, happened, failures } =
    walletMetrics(metrics);
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
        frozen.set({ rail, currency }, snapshot.frozen.includes(currency) ? 1 : 0);
      }
      unmined.set({ rail }, state.unmined);
      oldest.set({ rail }, state.oldestUnminedMs / 1_000);
      waiting.set({ rail }, state.waiting);
      for (const reason of reasons) {
        blocked.set({ rail, reason }, state.blocked === reason ? 1 : 0);
      }
    },
    happened: (rail, event) => happened.inc({ rail, event }),
    nodeFailed: (rail, node) => failures.inc({ rail, node }),
  };
}

/**
 * Returns the maximum cost of `unmined_max` simultaneous transfers at the fee cap. If the wallet
 * has less, some transfers wait.
 */
function feesOfRound({ tokens, native_gas_limit: nativeGas, ...chain }: EvmChainSettings): bigint {
  const gas = Math.max(nativeGas, ...Object.values(tokens).map((token) => token.gas_limit));
  return BigInt(chain.unmined_max) * BigInt(gas) * chain.max_fee_gwei;
}
