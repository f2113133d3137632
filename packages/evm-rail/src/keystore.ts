import { readFile } from "node:fs/promises";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { parsedJson } from "@disburse/rail/settings.ts";
import { Keystore } from "ox";
import { type Address, isAddressEqual, keccak256 } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import type { Signer } from "./signer.ts";

const hex = z.string().regex(/^[0-9a-f]+$/i);

/**
 * A version 3 keystore whose encryption key is derived with scrypt (Web3 Secret Storage
 * Definition).
 */
const keystoreSchema = z.object({
  version: z.literal(3),
  id: z.string(),
  crypto: z.object({
    cipher: z.literal("aes-128-ctr"),
    ciphertext: hex,
    cipherparams: z.object({ iv: hex }),
    kdf: z.literal("scrypt"),
    kdfparams: z.object({
      dklen: z.number(),
      n: z.number(),
      p: z.number(),
      r: z.number(),
      salt: hex,
    }),
    mac: hex,
  }),
});

/** Opens a signer with the key of a keystore file. The key stays in this process's memory. */
export async function openKeystore(
  { keystoreFile, passwordFile }: { readonly keystoreFile: string; readonly passwordFile: string },
  wallet: Address,
): Promise<Signer> {
  const keystore = keystoreSchema.safeParse(parsedJson(await readFile(keystoreFile, "utf8")));
  if (!keystore.success) {
    throw new SettingsError("EVM_CHAINS: keystore_file: must be a scrypt keystore of version 3");
  }
  const password = (await readFile(passwordFile, "utf8")).replace(/\r?\n$/, "");
  const derived = await Keystore.toKeyAsync(keystore.data, { password });
  const account = privateKeyToAccount(decrypt(keystore.data, derived));
  if (!isAddressEqual(account.address, wallet)) {
    throw new SettingsError(
      "EVM_CHAINS: keystore_file: contains the key of another wallet than the chain's wallet",
    );
  }
  return {
    check: async () => undefined,
    sign: (unsigned) => account.sign({ hash: keccak256(unsigned) }),
  };
}

function decrypt(keystore: Keystore.Keystore, key: Keystore.Key) {
  try {
    return Keystore.decrypt(keystore, key);
  } catch (error) {
    const problem = "EVM_CHAINS: password_file: has a wrong password for the keystore";
    throw new SettingsError(problem, { cause: error });
  }
}
