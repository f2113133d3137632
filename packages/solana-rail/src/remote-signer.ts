import { SettingsError } from "@disburse/chassis/settings.ts";
import type { Address } from "@solana/kit";
import { z } from "zod";
import { setting } from "./settings.ts";
import type { Signer } from "./signer.ts";

/**
 * The time limit of a call. A signer that takes longer counts as unreachable, and the transfer is
 * signed later.
 */
const timeoutMs = 5_000;
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
      const listed = await fetch(`${base}/api/v1/solana/publicKeys`, requestOf());
      if (!listed.ok) throw new Error(`the signer returned HTTP status ${listed.status}`);
      if (
        !z
          .array(z.string())
          .parse(await listed.json())
          .includes(wallet)
      ) {
        throw new SettingsError(
          `${setting}: remote_signer_url: the signer does not have the wallet's key`,
        );
      }
    },
    sign: async (message) => {
      const body = JSON.stringify({ data: Buffer.from(message).toString("base64") });
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", headers, body, ...requestOf() };
      const response = await fetch(`${base}/api/v1/solana/sign/${wallet}`, request);
      if (!response.ok) throw new Error(`the signer returned HTTP status ${response.status}`);
      const signature = Buffer.from((await response.text()).trim(), "base64");
      if (signature.length !== signatureLength)
        throw new Error("the signer returned no Ed25519 signature");
      return new Uint8Array(signature);
    },
  };
}

function requestOf() {
  return { redirect: "error", signal: AbortSignal.timeout(timeoutMs) } as const;
}
