import { liveProblems, serversOf } from "@disburse/chain-rail/wallet/settings.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { expect, it } from "vitest";
import { readSolanaChains } from "./settings.ts";

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const other = "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo";
const chain = {
  rail: "solana",
  genesis_hash: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  rpc_urls: ["https://one.example/key-1", "https://two.example/"],
  wallet: "9hdr8SYDibjubvqvXXymL53a78EFCvq9utaEuEvp2Qsw",
  signer: { keystore_file: "/run/wallet.json", password_file: "/run/password" },
  tokens: { USDC_SOL: { mint } },
  priority_fee: { min: "1000", max: "500000" },
};
const changed = (change: object) => JSON.stringify([{ ...chain, ...change }]);

it("reads a chain with its defaults", () => {
  const [read] = readSolanaChains(changed({}));
  expect(read).toMatchObject({
    priority_fee: { min: 1_000n, max: 500_000n },
    unsettled_max: 64,
    poll_ms: 2_000,
    signer: { kind: "keystore" },
  });
  expect(read?.native).toBeUndefined();
});

it.each<[object, string]>([
  [{ wallet: "0x12" }, "wallet: must be an address in base58"],
  [{ tokens: { USDC_ETH: { mint } } }, "SOLANA has no token USDC_ETH"],
  [{ tokens: { SOL: { mint } } }, "SOLANA has no token SOL"],
  [{ tokens: {} }, "at least one token, or native, is required"],
  [{ tokens: { USDC_SOL: { mint }, PYUSD_SOL: { mint } } }, "must not have the same mint"],
  [{ priority_fee: { min: "2", max: "1" } }, "min must not exceed max"],
  [{ priority_fee: { min: "0.5", max: "1" } }, "must be a whole number of micro-lamports"],
  [{ rpc_urls: ["https://a.example/1", "https://a.example/2"] }, "must have different hosts"],
  [{ rpc_urls: ["https://user:word@a.example"] }, "must not contain a user name or password"],
  [{ agreeing: 3 }, "agreeing: must not exceed"],
  [{ alarm_below: { USDP_SOL: "1" } }, "alarm_below: USDP_SOL must be in tokens or coin"],
  [{ unsettled_max: 257 }, "unsettled_max"],
  [{ signer: { keystore_file: "/run/wallet.json" } }, "signer"],
])("refuses %j", (change, problem) => {
  expect(() => readSolanaChains(changed(change))).toThrow(SettingsError);
  expect(() => readSolanaChains(changed(change))).toThrow(problem);
});

it("refuses two rails with one name or one wallet", () => {
  const two = (change: object) => JSON.stringify([chain, { ...chain, ...change }]);
  expect(() => readSolanaChains(two({ wallet: other }))).toThrow("names of the rails");
  expect(() => readSolanaChains(two({ rail: "b" }))).toThrow("must not share a wallet");
});

it("requires two nodes and https in live mode, and shows no key of a node", () => {
  const signer = { remote_signer_url: "http://signer.example:9000" };
  const problems = (change: object) => liveProblems(readSolanaChains(changed(change)));
  expect(problems({})).toEqual([]);
  expect(problems({ agreeing: 1 })).toEqual([
    "solana: live mode requires at least two nodes that agree",
  ]);
  expect(problems({ signer })).toEqual([
    "solana: live mode requires https for nodes and signers on other machines",
  ]);
  expect(serversOf(readSolanaChains(changed({ signer })))).toEqual([
    { rail: "solana", host: "one.example", port: 443 },
    { rail: "solana", host: "two.example", port: 443 },
    { rail: "solana", host: "signer.example", port: 9_000 },
  ]);
});
