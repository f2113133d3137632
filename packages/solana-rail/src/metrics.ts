import { walletMetrics } from "@disburse/chain-rail/wallet-metrics.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import { type TransferEvent, transferEvents, type WalletState } from "./dispatcher.ts";
import { transactionFee } from "./rules/priority-fee.ts";
import type { SolanaSettings } from "./settings.ts";
import { computeUnits } from "./transaction.ts";

export type SolanaMetrics = {
  readonly seen: (rail: string, state: WalletState) => void;
  readonly happened: (rail: string, event: TransferEvent) => void;
  readonly nodeFailed: (rail: string, node: number) => void;
};

/** The rent of a token account in lamports, for the default alarm threshold. */
const tokenRent = 2_100_000n;
const coinDecimals = 9;

/** Opens the metrics of Solana rails. */
export function solanaMetrics(metrics: Metrics, chains: readonly SolanaSettings[]): SolanaMetrics {
  const { balance, low, unmined, oldest, waiting, frozen, ...shared } = walletMetrics(metrics);
  const { happened, failures } = shared;
  for (const chain of chains) {
    const { rail, rpc_urls: urls } = chain;
    const alarms = { coin: inWhole(costOfRound(chain), coinDecimals), ...chain.alarm_below };
    for (const [currency, amount] of Object.entries(alarms)) {
      low.set({ rail, currency }, Number(amount));
    }
    for (const event of transferEvents) happened.inc({ rail, event }, 0);
    for (const node of urls.keys()) failures.inc({ rail, node }, 0);
  }
  return {
    seen: (rail, { snapshot, ...state }) => {
      const { coin, tokens } = snapshot.funds;
      balance.set({ rail, currency: "coin" }, Number(inWhole(coin, coinDecimals)));
      for (const [currency, units] of tokens) {
        balance.set(
          { rail, currency },
          Number(inWhole(units, snapshot.decimals.get(currency) ?? 0)),
        );
        frozen.set({ rail, currency }, snapshot.frozen.includes(currency) ? 1 : 0);
      }
      unmined.set({ rail }, state.signed);
      oldest.set({ rail }, state.oldestSignedMs / 1_000);
      waiting.set({ rail }, state.waiting);
    },
    happened: (rail, event) => happened.inc({ rail, event }),
    nodeFailed: (rail, node) => failures.inc({ rail, node }),
  };
}

function inWhole(units: bigint, scale: number): string {
  return formatDecimal({ units, scale });
}

/** Returns the maximum cost of `unsettled_max` transfers. With less, some transfers wait. */
function costOfRound({ unsettled_max, priority_fee, tokens }: SolanaSettings): bigint {
  const rent = Object.keys(tokens).length > 0 ? tokenRent : 0n;
  return BigInt(unsettled_max) * (transactionFee(priority_fee.max, computeUnits) + rent);
}
