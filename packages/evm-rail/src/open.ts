import { createDispatcher, type WalletState } from "@disburse/chain-rail/dispatcher.ts";
import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { createChainRail } from "@disburse/chain-rail/rail.ts";
import type { ChainWallet } from "@disburse/chain-rail/rpc.ts";
import type { TransferEvent } from "@disburse/chain-rail/work.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { createSweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { createWake } from "@disburse/chassis/wake.ts";
import type { Rail } from "@disburse/rail/rail.ts";
import type { RailContext } from "@disburse/rail/rail-package.ts";
import { openEvmChain } from "./chain.ts";
import { openKeystore } from "./keystore.ts";
import type { EvmChainSettings } from "./settings.ts";
import type { Signer } from "./signer.ts";
import { openWeb3Signer } from "./web3signer.ts";

export type EvmMetrics = {
  readonly seen: (rail: string, state: WalletState) => void;
  readonly happened: (rail: string, event: TransferEvent) => void;
  readonly nodeFailed: (rail: string, node: number) => void;
};

type EvmRailDeps = Pick<RailContext, "database" | "clock" | "log" | "isPaused"> & {
  readonly metrics?: EvmMetrics;
};

/** A rail with the wallet that it pays from. */
export type EvmRail = {
  readonly rail: Rail;
  readonly wallet: ChainWallet;
  start(): Pick<Loop, "stop">;
};

/** The interval between runs. A new transfer waits for up to this time. */
const everyMs = 500;
/** The lease's lifetime. After a process is killed, its wallets are idle for at most this long. */
const leaseMs = 3_000;

/** Opens the signer and the rail of a wallet. */
export async function openEvmRail(
  settings: EvmChainSettings,
  { database, clock, log, isPaused, metrics }: EvmRailDeps,
): Promise<EvmRail> {
  const { rail: name, network, native, tokens, overdue_after_minutes: overdue } = settings;
  const onNodeFailed = (node: number) => metrics?.nodeFailed(name, node);
  const chain = openEvmChain(settings, await openSigner(settings), { log, onNodeFailed });
  const store = openTransferStore(database);
  const dispatcher = createDispatcher({
    chain,
    store,
    clock,
    log,
    fees: {
      cap: settings.max_fee_gwei,
      tip: settings.tip_gwei,
      bumpAfterMs: settings.bump_after_seconds * 1_000,
    },
    watchBlocks: settings.watch_blocks,
    unminedMax: settings.unmined_max,
    nonceFrom: settings.nonce_from,
    isPaused: () => isPaused(name),
    onEvent: (event) => metrics?.happened(name, event),
  });
  // Only the process with the lease works on a wallet. The lease avoids duplicate calls. The rail
  // is correct without it.
  const lease = createSweepLease(database, `rail ${name}`, leaseMs);
  const run = async () => {
    // Every process reads the wallet's state, because each one uses it when it accepts transfers.
    await dispatcher.run((await lease.hold()) !== undefined);
    const state = dispatcher.state();
    if (state !== undefined) metrics?.seen(name, state);
    return false;
  };
  const wake = createWake();
  const assets = [...Object.keys(tokens), ...(native === undefined ? [] : [native])];
  const rail = createChainRail({
    name,
    wallet: chain.wallet,
    store,
    dispatcher,
    clock,
    wake: wake.notify,
    pollMs: settings.poll_ms,
    settlesInMs: settings.settles_in_seconds && settings.settles_in_seconds * 1_000,
    ...(overdue !== undefined && { overdueAfterMs: overdue * 60_000 }),
    capabilities: {
      currencies: assets,
      transferMethods: ["CRYPTO"],
      networks: [network],
      limits: {},
    },
  });
  log.info({ rail: name }, "rail opened");
  const start = () => {
    const loop = startLoop({ name: `rail ${name}`, everyMs, wake, run, log });
    const stop = async () => {
      await loop.stop();
      await lease.release();
    };
    return { stop };
  };
  const wallet = { rail: name, wallet: chain.wallet, store, state: dispatcher.state };
  return { rail, wallet, start };
}

async function openSigner({ signer, wallet }: EvmChainSettings): Promise<Signer> {
  return signer.kind === "keystore"
    ? openKeystore(signer, wallet)
    : openWeb3Signer(signer.url, wallet);
}
