import { SettingsError } from "@disburse/chassis/settings.ts";
import { type Address, type Hex, isAddressEqual, isHex } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { z } from "zod";
import type { Signer } from "./signer.ts";

/**
 * The time limit of a call. A signer that takes longer counts as unreachable, and the transfer is
 * signed later.
 */
const timeoutMs = 5_000;
/** The number of hexadecimal digits of an uncompressed public key without its prefix `04`. */
const bareKeyDigits = 128;

const hexText = z.custom<Hex>((value) => isHex(value));

/**
 * Opens a signer whose key is stored in a Web3Signer, or in another server with the same `eth1`
 * API. Connects only when the first call is made, so that an unreachable signer does not prevent
 * other rails from starting.
 */
export function openWeb3Signer(url: string, wallet: Address): Signer {
  const base = url.replace(/\/$/, "");
  let known: Hex | undefined;
  const keyOf = async (): Promise<Hex> => {
    if (known !== undefined) return known;
    const listed = await fetch(`${base}/api/v1/eth1/publicKeys`, requestOf());
    if (!listed.ok) throw new Error(`the signer returned HTTP status ${listed.status}`);
    const keys = z.array(hexText).parse(await listed.json());
    const key = keys.find((each) => isAddressEqual(publicKeyToAddress(uncompressed(each)), wallet));
    if (key === undefined) {
      throw new SettingsError(
        "EVM_CHAINS: web3signer_url: the signer does not have the wallet's key",
      );
    }
    known = key;
    return key;
  };
  return {
    check: async () => void (await keyOf()),
    sign: async (unsigned) => {
      const body = JSON.stringify({ data: unsigned });
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", headers, body, ...requestOf() };
      const response = await fetch(`${base}/api/v1/eth1/sign/${await keyOf()}`, request);
      if (!response.ok) throw new Error(`the signer returned HTTP status ${response.status}`);
      return hexText.parse((await response.text()).trim());
    },
  };
}

function requestOf() {
  return { redirect: "error", signal: AbortSignal.timeout(timeoutMs) } as const;
}

/** Adds the prefix of an uncompressed key. */
function uncompressed(key: Hex): Hex {
  const digits = key.slice(2);
  return digits.length === bareKeyDigits ? `0x04${digits}` : key;
}
