import {
  type OpenedWallet,
  openWallet,
  type WalletDeps,
  workDeps,
} from "@disburse/chain-rail/wallet/open.ts";
import { openSolanaChain } from "./chain.ts";
import { createDispatcher, type TransferEvent, type WalletState } from "./dispatcher.ts";
import { openTransferStore, type TransferStore } from "./documents.ts";
import { openKeystore } from "./keystore.ts";
import { createSolanaRail } from "./rail.ts";
import { openRemoteSigner } from "./remote-signer.ts";
import type { SolanaSettings } from "./settings.ts";
import type { Signer } from "./signer.ts";

export type SolanaRail = OpenedWallet<TransferStore, WalletState>;

/** Opens the signer and the rail of a wallet. */
export async function openSolanaRail(
  settings: SolanaSettings,
  deps: WalletDeps<WalletState, TransferEvent>,
): Promise<SolanaRail> {
  const { native, tokens, unsettled_max: unsettledMax } = settings;
  const given = workDeps(settings.rail, deps);
  const chain = openSolanaChain(settings, await openSigner(settings), given);
  const store = openTransferStore(deps.database);
  const dispatcher = createDispatcher({ ...given, chain, store, unsettledMax });
  return openWallet(settings, deps, {
    wallet: chain.wallet,
    store,
    dispatcher,
    network: "SOLANA",
    everyMs: 500,
    leaseMs: 3_000,
    currencies: [...Object.keys(tokens), ...(native === undefined ? [] : [native])],
    create: (options) => createSolanaRail({ ...options, store, dispatcher }),
  });
}

async function openSigner({ signer, wallet }: SolanaSettings): Promise<Signer> {
  return signer.kind === "keystore"
    ? openKeystore(signer, wallet)
    : openRemoteSigner(signer.url, wallet);
}
