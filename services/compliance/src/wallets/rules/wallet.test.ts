import { riskyWallets } from "@disburse/sandbox/sandbox-list.ts";
import { describe, expect, it } from "vitest";
import type { ListEntry } from "../../lists/rules/entry.ts";
import {
  buildWalletIndex,
  canonicalWallet,
  type WalletFamily,
  walletFamiliesOf,
} from "./wallet.ts";

const evm = riskyWallets.ETHEREUM;
const segwit = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4";
/** The version and hash of the sandbox's TRON wallet. */
const tronHex = "41be5e683633ddd17d8a89b4e10860a0e426c5ed24";
const taproot = "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0";
const solana = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM";

const entry = (uid: string, currency: string, address: string): ListEntry => ({
  uid,
  source: "",
  type: "entity",
  names: [{ name: `entry ${uid}`, kind: "primary" }],
  births: [],
  countries: [],
  documents: [],
  wallets: [{ currency, address }],
  programs: [],
});

describe("canonicalWallet", () => {
  const cases: [WalletFamily, string, string | undefined][] = [
    ["evm", evm, evm.slice(2).toLowerCase()],
    ["evm", evm.toUpperCase(), evm.slice(2).toLowerCase()],
    ["evm", evm.slice(0, -1), undefined],
    ["evm", `${evm.slice(0, -1)}g`, undefined],
    ["bitcoin", riskyWallets.BTC, riskyWallets.BTC],
    ["bitcoin", riskyWallets.BTC.toLowerCase(), undefined],
    ["bitcoin", riskyWallets.BTC.replace("149", "148"), undefined],
    ["bitcoin", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"],
    ["bitcoin", segwit.toUpperCase(), segwit],
    ["bitcoin", segwit.replace("bc1q", "bc1Q"), undefined],
    ["bitcoin", segwit.replace(/4$/, "5"), undefined],
    ["bitcoin", taproot, taproot],
    ["bitcoin", riskyWallets.TRX, undefined],
    ["tron", riskyWallets.TRX, riskyWallets.TRX],
    ["tron", tronHex, riskyWallets.TRX],
    ["tron", `0x${tronHex.toUpperCase()}`, riskyWallets.TRX],
    ["tron", tronHex.replace(/^41/, "42"), undefined],
    ["tron", tronHex.slice(0, -1), undefined],
    ["tron", riskyWallets.TRX.replace(/j$/, "k"), undefined],
    ["tron", riskyWallets.BTC, undefined],
    ["solana", solana, `${"7e8c088760bfde1dddcf32c17f209b8242ee52aaf131facd88d0ea2c6d0b06f2"}`],
    ["solana", "1".repeat(32), "00".repeat(32)],
    ["solana", "1".repeat(31), undefined],
    ["solana", riskyWallets.BTC, undefined],
    ["solana", "", undefined],
  ];
  it.each(cases)("%s reads %s as %s", (family, address, canonical) => {
    expect(canonicalWallet(family, address)).toBe(canonical);
  });
});

describe("walletFamiliesOf", () => {
  it.each([
    [["ETHEREUM", "POL", "BNB"], evm, ["evm"]],
    [[], evm, ["evm"]],
    [[], riskyWallets.BTC, ["bitcoin"]],
    [[], riskyWallets.TRX, ["tron"]],
    [[], solana, ["solana"]],
    [["BTC"], evm, undefined],
    [["ETHEREUM", "BTC"], evm, undefined],
    [["DOGE"], evm, undefined],
    [[], "nothing of the kind", undefined],
  ])("compares on %j the address %s in %j", (networks, address, families) => {
    expect(walletFamiliesOf(networks, address)).toEqual(families);
  });
});

describe("buildWalletIndex", () => {
  const index = buildWalletIndex([
    entry("1", "USDT", evm.toLowerCase()),
    entry("2", "ETH", riskyWallets.TRX),
    entry("3", "XMR", "4".repeat(95)),
    entry("4", "", segwit.toUpperCase()),
    entry("5", "TRX", `41${"00".repeat(20)}`),
  ]);
  const found = (networks: string[], address: string) =>
    index.find(walletFamiliesOf(networks, address) ?? [], address).map((hit) => hit.entry.uid);

  it.each([
    [["ETHEREUM"], evm, ["1"]],
    [["POL"], evm.toUpperCase(), ["1"]],
    [["BNB"], evm.toLowerCase(), ["1"]],
    [["TRX"], riskyWallets.TRX, ["2"]],
    [[], riskyWallets.TRX, ["2"]],
    [["TRX"], tronHex, ["2"]],
    [["TRX"], "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", ["5"]],
    [["BTC"], segwit, ["4"]],
    [["ETHEREUM"], evm.replace("0x0", "0x1"), []],
    [["BTC"], riskyWallets.BTC, []],
  ])("on %j finds %s on %j whatever the ticker says", (networks, address, uids) => {
    expect(found(networks, address)).toEqual(uids);
  });

  it("returns the list's ticker, never the address", () => {
    const [hit] = index.find(["evm"], evm);
    expect(hit?.matchedName).toBe("entry 1");
    expect(hit?.reasons).toEqual([
      { kind: "wallet", text: "wallet: this address is listed as USDT", effect: 1 },
    ]);
  });
});
