import { type KeystoreFiles, readKeystore } from "@disburse/chain-rail/wallet/keystore.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { type Address, bytesToHex, isAddressEqual, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { setting } from "./settings.ts";
import type { Signer } from "./signer.ts";

/** Opens a signer with the key of a keystore file. The key stays in this process's memory. */
export async function openKeystore(files: KeystoreFiles, wallet: Address): Promise<Signer> {
  const account = privateKeyToAccount(bytesToHex(await readKeystore(setting, files)));
  if (!isAddressEqual(account.address, wallet)) {
    throw new SettingsError(
      `${setting}: keystore_file: contains the key of another wallet than the chain's wallet`,
    );
  }
  return {
    check: async () => undefined,
    sign: (unsigned) => account.sign({ hash: keccak256(unsigned) }),
  };
}
