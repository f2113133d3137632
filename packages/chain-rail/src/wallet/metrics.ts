import type { Metrics } from "@disburse/chassis/metrics.ts";
import { formatDecimal } from "@disburse/kernel/decimal.ts";
import type { Funds } from "../rules/nonces.ts";
import { type CalledServers, nodeUrls } from "./settings.ts";

/** Records the work on rails' wallets. */
export type WalletObserver<State, Event> = {
  readonly seen: (rail: string, state: State) => void;
  readonly happened: (rail: string, event: Event) => void;
  readonly nodeFailed: (rail: string, node: number) => void;
};

/** The state of a wallet for its metrics. */
type SeenWallet = {
  /** The balance of each currency in whole units. */
  readonly balances: ReadonlyMap<string, number>;
  /** For each token, whether its issuer has frozen it for the wallet. */
  readonly frozen?: ReadonlyMap<string, boolean>;
  readonly unmined: number;
  readonly oldestUnminedMs: number;
  readonly waiting: number;
  /** Each reason for which the wallet may make no payments, and whether it holds now. */
  readonly blocked?: Readonly<Record<string, boolean>>;
};

/** Registers the metrics of wallets, and sets those that follow from the settings. */
export function observeWallets<Settings extends CalledServers, State, Event extends string>(
  metrics: Metrics,
  rails: readonly Settings[],
  {
    events,
    lowOf,
    seenOf,
  }: {
    readonly events: readonly Event[];
    /** Returns the balances below which an alert fires, by currency. */
    readonly lowOf: (rail: Settings) => Readonly<Record<string, string>>;
    readonly seenOf: (state: State, rail: Settings) => SeenWallet;
  },
): WalletObserver<State, Event> {
  const wallet = walletMetrics(metrics);
  for (const each of rails) {
    const { rail } = each;
    for (const [currency, amount] of Object.entries(lowOf(each))) {
      wallet.low.set({ rail, currency }, Number(amount));
    }
    for (const event of events) wallet.happened.inc({ rail, event }, 0);
    for (const node of nodeUrls(each).keys()) wallet.failures.inc({ rail, node }, 0);
  }
  const byName = new Map(rails.map((each) => [each.rail, each]));
  return {
    seen: (rail, state) => {
      const settings = byName.get(rail);
      if (settings === undefined) return;
      const { balances, frozen = [], blocked = {}, ...seen } = seenOf(state, settings);
      for (const [currency, amount] of balances) wallet.balance.set({ rail, currency }, amount);
      for (const [currency, isSo] of frozen) {
        wallet.frozen.set({ rail, currency }, isSo ? 1 : 0);
      }
      wallet.unmined.set({ rail }, seen.unmined);
      wallet.oldest.set({ rail }, seen.oldestUnminedMs / 1_000);
      wallet.waiting.set({ rail }, seen.waiting);
      for (const [reason, isSo] of Object.entries(blocked)) {
        wallet.blocked.set({ rail, reason }, isSo ? 1 : 0);
      }
    },
    happened: (rail, event) => wallet.happened.inc({ rail, event }),
    nodeFailed: (rail, node) => wallet.failures.inc({ rail, node }),
  };
}

/** Returns the metrics of a wallet with tokens. `coin` is the chain's own coin. */
export function seenFunds(
  { funds, frozen }: { readonly funds: Funds; readonly frozen: readonly string[] },
  coinDecimals: number,
  decimalsOf: (currency: string) => number,
): Pick<SeenWallet, "balances" | "frozen"> {
  const tokens = [...funds.tokens].map(
    ([currency, units]) => [currency, wholeUnits(units, decimalsOf(currency))] as const,
  );
  return {
    balances: new Map([["coin", wholeUnits(funds.coin, coinDecimals)], ...tokens]),
    frozen: new Map(tokens.map(([currency]) => [currency, frozen.includes(currency)])),
  };
}

/** Returns an amount for a metric, which is no amount of money that is booked. */
export function wholeUnits(units: bigint, scale: number): number {
  return Number(formatDecimal({ units, scale }));
}

export type WalletMetrics = ReturnType<typeof register>;

const registered = new WeakMap<Metrics, WalletMetrics>();

/**
 * Returns the metrics of rails' wallets. All packages of a process share them. Their labels are rail
 * names, currencies and the index of a node in the configuration.
 */
export function walletMetrics(metrics: Metrics): WalletMetrics {
  const found = registered.get(metrics) ?? register(metrics);
  registered.set(metrics, found);
  return found;
}

function register(metrics: Metrics) {
  return {
    balance: metrics.gauge(
      "disburse_wallet_balance",
      "Balance of a rail's wallet in whole units, by currency. The currency coin is the chain's coin, which pays its fees.",
      ["rail", "currency"],
    ),
    low: metrics.gauge(
      "disburse_wallet_balance_low",
      "Balance of a rail's wallet below which an alert fires, in whole units, by currency.",
      ["rail", "currency"],
    ),
    unmined: metrics.gauge(
      "disburse_wallet_unmined",
      "Transactions of a rail's wallet that are not mined: assigned nonces, or open batches.",
      ["rail"],
    ),
    oldest: metrics.gauge(
      "disburse_wallet_oldest_unmined_seconds",
      "Seconds since the oldest unmined transaction of a wallet was first signed; 0 if there is none.",
      ["rail"],
    ),
    waiting: metrics.gauge(
      "disburse_wallet_waiting_transfers",
      "Accepted transfers of a wallet that no transaction pays yet; counted up to 1,000.",
      ["rail"],
    ),
    blocked: metrics.gauge(
      "disburse_wallet_blocked",
      "1 if the wallet makes no new payments, because unknown transactions used it or fees exceed the cap, or if an unmined transaction is at the cap (bound).",
      ["rail", "reason"],
    ),
    frozen: metrics.gauge(
      "disburse_wallet_frozen",
      "1 if a token's issuer has frozen or blacklisted a rail's wallet, so that it can't pay the currency.",
      ["rail", "currency"],
    ),
    happened: metrics.counter(
      "disburse_chain_transfer_events_total",
      "Unusual events of blockchain transfers, such as a reorganisation or a lost nonce, by event.",
      ["rail", "event"],
    ),
    failures: metrics.counter(
      "disburse_chain_node_failures_total",
      "Failed calls to a node of a chain, by the node's index in the rail's settings.",
      ["rail", "node"],
    ),
    orphans: metrics.gauge(
      "disburse_chain_transfers_orphaned",
      "Open transfers of wallets that are not in the setting, counted when the process started.",
      ["setting"],
    ),
  };
}
