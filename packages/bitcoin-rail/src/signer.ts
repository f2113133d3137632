import { readFile } from "node:fs/promises";
import { type KeystoreFiles, readKeystore } from "@disburse/chain-rail/wallet/keystore.ts";
import { callSigner } from "@disburse/chain-rail/wallet/signer-calls.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { parsedJson } from "@disburse/rail/settings.ts";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { equalBytes } from "@noble/curves/utils.js";
import { base64 } from "@scure/base";
import { Transaction } from "@scure/btc-signer";
import { z } from "zod";
import { type SignerSettings, setting } from "./settings.ts";
import { outputsTo, paysExactly } from "./transaction.ts";
import type { WalletKey } from "./wallet-key.ts";

/** A payout that the transaction must pay, for the signer's own check. */
export type SignedPayout = {
  readonly key: string;
  readonly to: string;
  readonly amount: bigint;
};

export type SigningRequest = {
  /** The unsigned transaction (BIP-174). Every input has its amount and the wallet's script. */
  readonly psbt: Uint8Array;
  /** All payouts of the transaction. Every other output goes to the wallet. */
  readonly payouts: readonly SignedPayout[];
  /** The maximum fee in satoshi. */
  readonly feeMax: bigint;
};

/** Signs with the key of one wallet, from a keystore file or a remote signer. */
export type Signer = {
  /**
   * Returns the PSBT with a signature of every input. Rejects if the outputs are not the payouts
   * and the wallet, or if the fee is above `feeMax`. The caller verifies each signature.
   */
  sign(request: SigningRequest): Promise<Uint8Array>;
};

export function openSigner(settings: SignerSettings, key: WalletKey): Promise<Signer> | Signer {
  return settings.kind === "remote" ? openRemoteSigner(settings) : openKeystore(settings, key);
}

/** Opens a signer with the key of a keystore file. The key stays in this process's memory. */
async function openKeystore(files: KeystoreFiles, key: WalletKey): Promise<Signer> {
  const secret = await readKeystore(setting, files);
  if (!equalBytes(secp256k1.getPublicKey(secret), key.publicKey)) {
    throw new SettingsError(
      `${setting}: keystore_file: contains the key of another wallet than the descriptor's`,
    );
  }
  return {
    sign: async ({ psbt, payouts, feeMax }) => {
      const transaction = Transaction.fromPSBT(psbt);
      if (!paysExactly(transaction, outputsTo(payouts), key)) {
        throw new Error("the transaction's outputs are not the payouts and the wallet");
      }
      if (transaction.fee > feeMax) throw new Error("the transaction's fee is above the maximum");
      transaction.sign(secret);
      return transaction.toPSBT();
    },
  };
}

/** A transaction has many payouts and inputs, which a device may sign one by one. */
const timeoutMs = 10_000;

const replySchema = z.object({ psbt: z.string().max(1_000_000) });

/**
 * Opens a signer behind HTTP. It connects only when a batch is signed, so that an unreachable
 * signer does not prevent other rails from starting.
 */
function openRemoteSigner({ url, tokenFile }: Extract<SignerSettings, { kind: "remote" }>): Signer {
  return {
    sign: async ({ psbt, payouts, feeMax }) => {
      const token = (await readFile(tokenFile, "utf8")).trim();
      const body = {
        psbt: base64.encode(psbt),
        payouts: payouts.map(({ key, to, amount }) => {
          return { payout_id: key, address: to, amount_sat: String(amount) };
        }),
        fee_max_sat: String(feeMax),
      };
      const reply = await callSigner(url, { body, token, timeoutMs });
      return base64.decode(replySchema.parse(parsedJson(reply)).psbt);
    },
  };
}
