import type { Metrics } from "@disburse/chassis/metrics.ts";

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
    "Transactions of a rail's wallet that are not mined: assigned nonces, or open batches.",
    ["rail"],
  );
  const oldest = metrics.gauge(
    "disburse_wallet_oldest_unmined_seconds",
    "Seconds since the oldest unmined transaction of a wallet was first signed; 0 if there is none.",
    ["rail"],
  );
  const waiting = metrics.gauge(
    "disburse_wallet_waiting_transfers",
    "Accepted transfers of a wallet that no transaction pays yet; counted up to 1,000.",
    ["rail"],
  );
  const blocked = metrics.gauge(
    "disburse_wallet_blocked",
    "1 if the wallet makes no new payments, because unknown transactions used it or fees exceed the cap, or if an unmined transaction is at the cap (bound).",
    ["rail", "reason"],
  );
  const frozen = metrics.gauge(
    "disburse_wallet_frozen",
    "1 if a token's issuer has frozen or blacklisted a rail's wallet, so that it can't pay the currency.",
    ["rail", "currency"],
  );
  const happened = metrics.counter(
    "disburse_chain_transfer_events_total",
    "Unusual events of blockchain transfers, such as a reorganisation or a lost nonce, by event.",
    ["rail", "event"],
  );
  const failures = metrics.counter(
    "disburse_chain_node_failures_total",
    "Failed calls to a node of a chain, by the node's index in the rail's settings.",
    ["rail", "node"],
  );
  const orphans = metrics.gauge(
    "disburse_chain_transfers_orphaned",
    "Open transfers of wallets that are not in the setting, counted when the process started.",
    ["setting"],
  );
  return {
    balance,
    low,
    unmined,
    oldest,
    waiting,
    blocked,
    frozen,
    happened,
    failures,
    orphans,
  };
}
