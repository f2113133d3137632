import { readFile } from "node:fs/promises";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { parsedJson } from "@disburse/rail/settings.ts";
import { Bytes, Keystore } from "ox";
import { z } from "zod";

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

export type KeystoreFiles = { readonly keystoreFile: string; readonly passwordFile: string };

/**
 * Reads the private key of a keystore file. `setting` names the rails' setting in errors.
 * @throws {SettingsError}
 */
export async function readKeystore(
  setting: string,
  { keystoreFile, passwordFile }: KeystoreFiles,
): Promise<Uint8Array> {
  const keystore = keystoreSchema.safeParse(parsedJson(await readFile(keystoreFile, "utf8")));
  if (!keystore.success) {
    throw new SettingsError(`${setting}: keystore_file: must be a scrypt keystore of version 3`);
  }
  const password = (await readFile(passwordFile, "utf8")).replace(/\r?\n$/, "");
  const derived = await Keystore.toKeyAsync(keystore.data, { password });
  try {
    return Bytes.fromHex(Keystore.decrypt(keystore.data, derived));
  } catch (error) {
    const problem = `${setting}: password_file: has a wrong password for the keystore`;
    throw new SettingsError(problem, { cause: error });
  }
}
