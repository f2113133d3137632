import { callSigner } from "@disburse/chain-rail/wallet/signer-calls.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { parsedJson } from "@disburse/rail/settings.ts";
import type { Address } from "@solana/kit";
import { z } from "zod";
import { setting } from "./settings.ts";
import type { Signer } from "./signer.ts";

const signatureLength = 64;

/**
 * Opens a signer whose key is stored in a server. The server's API has the form of Web3Signer's,
 * which has no Ed25519 keys. It gets the whole message, so it can check recipients and amounts.
 * Connects only when the first call is made, so that an unreachable signer does not prevent other
 * rails from starting.
 */
export function openRemoteSigner(url: string, wallet: Address): Signer {
  const base = url.replace(/\/$/, "");
  return {
    check: async () => {
      const listed = await callSigner(`${base}/api/v1/solana/publicKeys`);
      if (z.array(z.string()).parse(parsedJson(listed)).includes(wallet)) return;
      throw new SettingsError(
        `${setting}: remote_signer_url: the signer does not have the wallet's key`,
      );
    },
    sign: async (message) => {
      const body = { data: Buffer.from(message).toString("base64") };
      const signed = await callSigner(`${base}/api/v1/solana/sign/${wallet}`, { body });
      const signature = Buffer.from(signed, "base64");
      if (signature.length !== signatureLength)
        throw new Error("the signer returned no Ed25519 signature");
      return new Uint8Array(signature);
    },
  };
}
