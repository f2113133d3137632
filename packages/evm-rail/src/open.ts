import { createDispatcher, type WalletState } from "@disburse/chain-rail/dispatcher.ts";
import { openTransferStore } from "@disburse/chain-rail/documents.ts";
import { createChainRail } from "@disburse/chain-rail/rail.ts";
import type { ChainWallet } from "@disburse/chain-rail/rpc.ts";
import { createWalletWork } from "@disburse/chain-rail/wallet-work.ts";
import type { TransferEvent } from "@disburse/chain-rail/work.ts";
import type { Loop } from "@disburse/chassis/loop.ts";
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

const everyMs = 500;
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
  const assets = [...Object.keys(tokens), ...(native === undefined ? [] : [native])];
  const rail = createChainRail({
    name,
    wallet: chain.wallet,
    store,
    dispatcher,
    clock,
    wake: work.wake,
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
  const wallet = { rail: name, wallet: chain.wallet, store, state: dispatcher.state };
  return { rail, wallet, start: work.start };
}

async function openSigner({ signer, wallet }: EvmChainSettings): Promise<Signer> {
  return signer.kind === "keystore"
    ? openKeystore(signer, wallet)
    : openWeb3Signer(signer.url, wallet);
}
