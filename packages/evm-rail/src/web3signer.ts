import { callSigner } from "@disburse/chain-rail/wallet/signer-calls.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { parsedJson } from "@disburse/rail/settings.ts";
import { type Address, type Hex, isAddressEqual, isHex } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { z } from "zod";
import type { Signer } from "./signer.ts";

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
    const listed = await callSigner(`${base}/api/v1/eth1/publicKeys`);
    const keys = z.array(hexText).parse(parsedJson(listed));
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
      const path = `${base}/api/v1/eth1/sign/${await keyOf()}`;
      return hexText.parse(await callSigner(path, { body: { data: unsigned } }));
    },
  };
}

/** Adds the prefix of an uncompressed key. */
function uncompressed(key: Hex): Hex {
  const digits = key.slice(2);
  return digits.length === bareKeyDigits ? `0x04${digits}` : key;
}
