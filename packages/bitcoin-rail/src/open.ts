import { createWalletWork } from "@disburse/chain-rail/wallet-work.ts";
import type { Loop } from "@disburse/chassis/loop.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import { openBitcoinChain } from "./chain.ts";
import { createDispatcher } from "./dispatcher.ts";
import { openBitcoinStore } from "./documents.ts";
import type { BitcoinMetrics } from "./metrics.ts";
import { createBitcoinRail } from "./rail.ts";
import type { BatchWallet } from "./rpc.ts";
import { type BitcoinSettings, setting } from "./settings.ts";
import { openSigner } from "./signer.ts";
import { readWalletKey } from "./wallet-key.ts";

type BitcoinRailDeps = Pick<RailContext, "database" | "clock" | "log" | "isPaused"> & {
  readonly metrics?: BitcoinMetrics;
};

/** A rail with the wallet that it pays from. */
export type BitcoinRail = {
  readonly rail: Rail;
  readonly wallet: BatchWallet;
  start(): Pick<Loop, "stop">;
};

const everyMs = 1_000;
const leaseMs = 5_000;
/** The virtual size that a payout adds to a batch: an output, and a part of an input. */
const payoutVsize = 150n;

/** Opens the signer and the rail of a wallet. */
export async function openBitcoinRail(
  settings: BitcoinSettings,
  { database, clock, log, isPaused, metrics }: BitcoinRailDeps,
): Promise<BitcoinRail> {
  const { rail: name, overdue_after_minutes: overdue } = settings;
  const key = readWalletKey(settings.descriptor, settings.chain);
  if (key === undefined) throw new SettingsError(`${setting}: descriptor: is not valid`);
  const signer = await openSigner(settings.signer, key);
  const onNodeFailed = (node: number) => metrics?.nodeFailed(name, node);
  const chain = openBitcoinChain(settings, key, { log, onNodeFailed });
  const store = openBitcoinStore(database);
  const dispatcher = createDispatcher({
    chain,
    store,
    key,
    signer,
    clock,
    log,
    fees: {
      min: BigInt(settings.min_fee_rate),
      max: BigInt(settings.max_fee_rate),
      bumpAfterMs: settings.bump_after_seconds * 1_000,
    },
    batches: {
      afterMs: settings.batch_after_seconds * 1_000,
      payoutsMax: settings.batch_max,
    },
    watchBlocks: settings.watch_blocks,
    coinsWanted: settings.coins,
    knownTransactions: settings.known_transactions,
    isPaused: () => isPaused(name),
    onEvent: (event) => metrics?.happened(name, event),
  });
  const work = createWalletWork(
    { database, log },
    {
      rail: name,
      dispatcher,
      everyMs,
      leaseMs,
      onState: (state) => metrics?.seen(name, state),
    },
  );
  const rail = createBitcoinRail({
    name,
    wallet: chain.wallet,
    key,
    store,
    dispatcher,
    clock,
    wake: work.wake,
    feeMax: payoutVsize * BigInt(settings.max_fee_rate),
    pollMs: settings.poll_ms,
    settlesInMs: settings.settles_in_seconds && settings.settles_in_seconds * 1_000,
    ...(overdue !== undefined && { overdueAfterMs: overdue * 60_000 }),
  });
  log.info({ rail: name }, "rail opened");
  const wallet = { rail: name, wallet: chain.wallet, store, state: dispatcher.state };
  return { rail, wallet, start: work.start };
}
