import { createDispatcher, type WalletState } from "@disburse/chain-rail/dispatcher.ts";
import { openTransferStore, type TransferStore } from "@disburse/chain-rail/documents.ts";
import { createChainRail } from "@disburse/chain-rail/rail.ts";
import {
  type OpenedWallet,
  openWallet,
  type WalletDeps,
  workDeps,
} from "@disburse/chain-rail/wallet/open.ts";
import type { TransferEvent } from "@disburse/chain-rail/work.ts";
import { openEvmChain } from "./chain.ts";
import { openKeystore } from "./keystore.ts";
import type { EvmChainSettings } from "./settings.ts";
import type { Signer } from "./signer.ts";
import { openWeb3Signer } from "./web3signer.ts";

export type EvmRail = OpenedWallet<TransferStore, WalletState>;

/** Opens the signer and the rail of a wallet. */
export async function openEvmRail(
  settings: EvmChainSettings,
  deps: WalletDeps<WalletState, TransferEvent>,
): Promise<EvmRail> {
  const { network, native, tokens } = settings;
  const given = workDeps(settings.rail, deps);
  const chain = openEvmChain(settings, await openSigner(settings), given);
  const store = openTransferStore(deps.database);
  const dispatcher = createDispatcher({
    ...given,
    chain,
    store,
    fees: {
      cap: settings.max_fee_gwei,
      tip: settings.tip_gwei,
      bumpAfterMs: settings.bump_after_seconds * 1_000,
    },
    watchBlocks: settings.watch_blocks,
    unminedMax: settings.unmined_max,
    nonceFrom: settings.nonce_from,
  });
  return openWallet(settings, deps, {
    wallet: chain.wallet,
    store,
    dispatcher,
    network,
    everyMs: 500,
    leaseMs: 3_000,
    currencies: [...Object.keys(tokens), ...(native === undefined ? [] : [native])],
    create: (options) => createChainRail({ ...options, store, dispatcher }),
  });
}

async function openSigner({ signer, wallet }: EvmChainSettings): Promise<Signer> {
  return signer.kind === "keystore"
    ? openKeystore(signer, wallet)
    : openWeb3Signer(signer.url, wallet);
}
