import { type KeystoreFiles, readKeystore } from "@disburse/chain-rail/wallet/keystore.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import {
  type Address,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
  signBytes,
} from "@solana/kit";
import { setting } from "./settings.ts";
import type { Signer } from "./signer.ts";

/** Opens a signer with the key of a keystore file. The key stays in this process's memory. */
export async function openKeystore(files: KeystoreFiles, wallet: Address): Promise<Signer> {
  const keys = await createKeyPairFromPrivateKeyBytes(await readKeystore(setting, files));
  if ((await getAddressFromPublicKey(keys.publicKey)) !== wallet) {
    throw new SettingsError(
      `${setting}: keystore_file: contains the key of another wallet than the chain's wallet`,
    );
  }
  return {
    check: async () => undefined,
    sign: async (message) => new Uint8Array(await signBytes(keys.privateKey, message)),
  };
}
