import { liveProblems, serversOf } from "@disburse/chain-rail/wallet/settings.ts";
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

const usdc = chain.tokens.USDC_ETH.contract;
const changed = (change: object) => JSON.stringify([{ ...chain, ...change }]);
const withToken = (change: object) =>
  changed({ tokens: { USDC_ETH: { ...chain.tokens.USDC_ETH, ...change } } });

describe("the chains of a deployment", () => {
  it("are read with their fees in the smallest unit", () => {
    const [read] = readEvmChains(JSON.stringify([chain]));
    expect(read).toMatchObject({ max_fee_gwei: 50_000_000_000n, tip_gwei: 1_500_000_000n });
    expect(read).toMatchObject({ unmined_max: 16, watch_blocks: 64, nonce_from: 0 });
    expect(read?.signer.kind).toBe("keystore");
    expect(read?.settles_in_seconds).toBeUndefined();
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
    ["a setting of a token that there is not", withToken({ gasLimit: 1 })],
    ["a contract without its checksum", withToken({ contract: usdc.toLowerCase() })],
    ["decimals that are no whole number", withToken({ decimals: 6.5 })],
    ["a wallet without its checksum", changed({ wallet: wallet.toLowerCase() })],
    [
      "one host twice",
      changed({ rpc_urls: ["https://one.example/secret", "https://one.example"] }),
    ],
    [
      "a password in the address of a node",
      changed({ rpc_urls: ["https://u:secret@one.example"] }),
    ],
    ["a user in that of the signer", changed({ signer: { web3signer_url: "http://u@secret" } })],
    ["two kinds of signer", changed({ signer: { ...chain.signer, web3signer_url: "http://s" } })],
    ["a tip above the cap", changed({ max_fee_gwei: "1" })],
    ["a cap of zero", changed({ max_fee_gwei: "0", tip_gwei: "0" })],
    ["another network's coin", changed({ network: "BNB", native: "ETH" })],
    ["a token as the coin", changed({ native: "USDC_ETH", tokens: {} })],
    ["the coin as a token", changed({ tokens: { ETH: chain.tokens.USDC_ETH } })],
    ["another network's token", changed({ network: "POL" })],
    [
      "one contract as two tokens",
      changed({ tokens: { ...chain.tokens, USDT_ETH: chain.tokens.USDC_ETH } }),
    ],
    ["an alarm for what is not paid", changed({ alarm_below: { USDT_ETH: "1" } })],
    ["an alarm that is a number", changed({ alarm_below: { coin: 0.1 } })],
    ["nothing to pay", changed({ tokens: {} })],
  ])("are refused with %s, without the address of a node", (_what, text) => {
    expect(() => readEvmChains(text)).toThrow(SettingsError);
    expect(() => readEvmChains(text)).toThrow(/^settings: EVM_CHAINS: (?!.*secret)/);
  });
});

it("the servers of rails are their nodes and signers, by host and port without a URL's keys", () => {
  const rpc_urls = ["https://one.example/secret", "http://[::1]:8545"];
  const signer = { web3signer_url: "http://127.0.0.1:9000" };
  const rail = "sepolia";
  expect(serversOf(readEvmChains(changed({ rpc_urls, signer })))).toEqual([
    { rail, host: "one.example", port: 443 },
    { rail, host: "::1", port: 8545 },
    { rail, host: "127.0.0.1", port: 9000 },
  ]);
});

describe("live mode", () => {
  const urls = (...rpc_urls: string[]) => ({ rpc_urls });
  const signedBy = (url: string) => ({ signer: { web3signer_url: url } });

  it.each<[string, object, readonly string[]]>([
    ["two nodes", {}, []],
    ["two of three", { ...urls("https://a", "https://b", "https://c"), agreeing: 2 }, []],
    ["one node", urls("https://a"), ["two nodes that agree"]],
    ["one of two", { agreeing: 1 }, ["two nodes that agree"]],
    [
      "nodes on this machine",
      urls("http://127.0.0.1:1", "http://localhost:2", "http://[::1]:3"),
      [],
    ],
    ["a node elsewhere over http", urls("https://a", "http://127.example"), ["https"]],
    ["a signer elsewhere over http", signedBy("http://signer:9000"), ["https"]],
    ["a signer on this machine", signedBy("http://127.0.0.1:9000"), []],
  ])("with %s", (_what, change, problems) => {
    const found = liveProblems(readEvmChains(changed(change)));
    expect(found).toHaveLength(problems.length);
    for (const [at, problem] of problems.entries()) expect(found[at]).toContain(problem);
  });
});
