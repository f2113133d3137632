import {
  type OpenedWallet,
  openWallet,
  type WalletDeps,
  workDeps,
} from "@disburse/chain-rail/wallet/open.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { openBitcoinChain } from "./chain.ts";
import { createDispatcher, type WalletState } from "./dispatcher.ts";
import { type BitcoinStore, openBitcoinStore } from "./documents.ts";
import { createBitcoinRail } from "./rail.ts";
import { type BitcoinSettings, currency, network, setting } from "./settings.ts";
import { openSigner } from "./signer.ts";
import { readWalletKey } from "./wallet-key.ts";
import type { BatchEvent } from "./work.ts";

export type BitcoinRail = OpenedWallet<BitcoinStore, WalletState>;

/** Opens the signer and the rail of a wallet. */
export async function openBitcoinRail(
  settings: BitcoinSettings,
  deps: WalletDeps<WalletState, BatchEvent>,
): Promise<BitcoinRail> {
  const key = readWalletKey(settings.descriptor, settings.chain);
  if (key === undefined) throw new SettingsError(`${setting}: descriptor: is not valid`);
  const given = workDeps(settings.rail, deps);
  const signer = await openSigner(settings.signer, key);
  const chain = openBitcoinChain(settings, key, given);
  const store = openBitcoinStore(deps.database);
  const feeRateMax = BigInt(settings.max_fee_rate);
  const dispatcher = createDispatcher({
    ...given,
    chain,
    store,
    key,
    signer,
    fees: {
      min: BigInt(settings.min_fee_rate),
      max: feeRateMax,
      bumpAfterMs: settings.bump_after_seconds * 1_000,
    },
    batches: {
      afterMs: settings.batch_after_seconds * 1_000,
      payoutsMax: settings.batch_max,
    },
    watchBlocks: settings.watch_blocks,
    coinsWanted: settings.coins,
    knownTransactions: settings.known_transactions,
  });
  return openWallet(settings, deps, {
    wallet: chain.wallet,
    store,
    dispatcher,
    network,
    currencies: [currency],
    everyMs: 1_000,
    leaseMs: 5_000,
    create: (options) => createBitcoinRail({ ...options, key, store, dispatcher, feeRateMax }),
  });
}
