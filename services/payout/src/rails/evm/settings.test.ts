import { SettingsError } from "@disburse/chassis/settings.ts";
import { describe, expect, it } from "vitest";
import { readEvmChains } from "./settings.ts";

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const chain = {
  ...{ rail: "sepolia", network: "ETHEREUM", chain_id: 11_155_111, wallet, finality: 3 },
  rpc_urls: ["https://one.example/secret", "https://two.example"],
  signer: { keystore_file: "/wallet.json", password_file: "/password" },
  tokens: { USDC_ETH: { contract: "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238", decimals: 6 } },
  ...{ max_fee_gwei: "50", tip_gwei: "1.5" },
};

describe("the chains of a deployment", () => {
  it("are read with their fees in the smallest unit", () => {
    const [read] = readEvmChains(JSON.stringify([chain]));
    expect(read).toMatchObject({ max_fee_gwei: 50_000_000_000n, tip_gwei: 1_500_000_000n });
    expect(read).toMatchObject({ unmined_max: 16, watch_blocks: 64, nonce_from: 0 });
    expect(read?.signer.kind).toBe("keystore");
    expect(read?.tokens.USDC_ETH?.gas_limit).toBe(120_000);
  });

  it.each([
    ["no JSON", "{"],
    ["no list", JSON.stringify(chain)],
    ["a network that is no EVM chain", JSON.stringify([{ ...chain, network: "SOLANA" }])],
    ["a currency of the bank", JSON.stringify([{ ...chain, native: "USD" }])],
    [
      "an address with a wrong checksum",
      JSON.stringify([{ ...chain, wallet: wallet.replace("f", "F") }]),
    ],
    ["more nodes to agree than there are", JSON.stringify([{ ...chain, agreeing: 3 }])],
    ["a fee that is a number", JSON.stringify([{ ...chain, max_fee_gwei: 50 }])],
    ["two wallets of one name", JSON.stringify([chain, { ...chain, chain_id: 1 }])],
    ["one wallet twice", JSON.stringify([chain, { ...chain, rail: "again" }])],
    ["a setting that there is not", JSON.stringify([{ ...chain, confirmation: 3 }])],
    ["more unmined than nodes keep", JSON.stringify([{ ...chain, unmined_max: 17 }])],
  ])("are refused with %s, without the address of a node", (_what, text) => {
    expect(() => readEvmChains(text)).toThrow(SettingsError);
    expect(() => readEvmChains(text)).toThrow(/^settings: EVM_CHAINS: (?!.*secret)/);
  });
});
