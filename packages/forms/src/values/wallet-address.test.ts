import { isRefused } from "@disburse/kernel/refusal.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Network, networks } from "./networks.ts";
import { checkWalletAddress, walletNetworks } from "./wallet-address.ts";

const evm: readonly Network[] = ["ETHEREUM", "POL", "BNB"];

/** Main-net addresses with the networks that accept them: published vectors and well-known ones. */
const sound: readonly (readonly [string, string, readonly Network[]])[] = [
  ["EIP-55 mixed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", evm],
  ["EIP-55 mixed", "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", evm],
  ["EIP-55 mixed", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB", evm],
  ["EIP-55 mixed", "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb", evm],
  ["EIP-55 all upper", "0x52908400098527886E0F7030069857D2E4169EE7", evm],
  ["EIP-55 all lower", "0xde709f2102306220921060314715629080e2fb77", evm],
  ["P2PKH of the genesis block", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", ["BTC"]],
  ["P2SH", "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy", ["BTC"]],
  ["BIP-173 P2WPKH", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", ["BTC"]],
  ["BIP-173 P2WPKH", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", ["BTC"]],
  ["BIP-173 P2WSH", "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3", ["BTC"]],
  ["BIP-350 P2TR", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", ["BTC"]],
  ["TRON", "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW", ["TRX"]],
  ["Solana, on the curve", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM", ["SOLANA"]],
];

/** Addresses that no network accepts. */
const unsound: readonly (readonly [string, string])[] = [
  ["EIP-55 broken by one letter's case", "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
  ["39 digits", `0x${"a".repeat(39)}`],
  ["41 digits", `0x${"a".repeat(41)}`],
  ["no prefix", "a".repeat(40)],
  ["an upper-case prefix", `0X${"A".repeat(40)}`],
  ["not hexadecimal", `0x${"g".repeat(40)}`],
  ["P2PKH of the test net", "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn"],
  ["P2SH of the test net", "2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc"],
  ["P2PKH of Litecoin", "LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1"],
  ["a broken base58check", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb"],
  ["BIP-173 test net", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx"],
  ["BIP-350 test net", "tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c"],
  ["regression test net", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"],
  ["BIP-173 mixed case", "bc1qW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"],
  ["BIP-173 invalid checksum", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"],
  [
    "BIP-350 version 1, 40 bytes",
    "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
  ],
  ["version 1, 2 bytes: an anchor that anybody spends", "bc1pfeessrawgf"],
  ["BIP-350 version 16", "BC1SW50QGDZ25J"],
  ["BIP-350 version 2", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs"],
  ["BIP-173 version 17", "BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2"],
  ["BIP-173 one byte", "bc1rw5uspcuh"],
  [
    "BIP-173 41 bytes",
    "bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90",
  ],
  ["BIP-173 16 bytes of version 0", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P"],
  ["BIP-173 zero padding too long", "bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du"],
  ["BIP-173 no data", "bc1gmk9yu"],
  ["BIP-350 version 1 by bech32", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd"],
  ["BIP-350 version 0 by bech32m", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh"],
  ["BIP-350 invalid character", "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4"],
  [
    "BIP-350 41 bytes",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
  ],
  ["BIP-350 one byte", "bc1pw5dgrnzv"],
  ["TRON broken by one letter", "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMw"],
  ["TRON in hexadecimal", "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"],
  ["31 bytes of base58", "1111111111111111111111111111111"],
  ["33 bytes of base58", "111111111111111111111111111111111"],
  ["base58's missing letters", "0OIlFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"],
  ["nothing", ""],
  ["spaces around", " 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa "],
  ["129 characters", "1".repeat(129)],
  ["letters of another script", "ＴJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW"],
];

describe("walletNetworks", () => {
  it.each(sound)("%s %s", (_what, address, on) => {
    expect(walletNetworks(address)).toEqual(on);
  });

  it.each(unsound)("none for %s %s", (_what, address) => {
    expect(walletNetworks(address)).toEqual([]);
    for (const network of networks) {
      expect(checkWalletAddress(network, address)).toEqual({ refused: "INVALID_WALLET_ADDRESS" });
    }
  });
});

describe("the canonical form", () => {
  it.each([
    ["0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
    ["0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"],
  ])("of %s is %s", (address, canonical) => {
    for (const network of evm) expect(checkWalletAddress(network, address)).toBe(canonical);
  });

  it("of a segwit address is lower case, of a base58 one itself", () => {
    expect(checkWalletAddress("BTC", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4")).toBe(
      "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
    );
    for (const [, address, [network]] of sound) {
      if (network === "SOLANA" || network === "TRX") {
        expect(checkWalletAddress(network, address)).toBe(address);
      }
    }
  });

  it("is its own canonical form, for any text that has one", () => {
    const digits = fc.array(fc.constantFrom(..."0123456789abcdef"), {
      minLength: 40,
      maxLength: 40,
    });
    fc.assert(
      fc.property(digits, (each) => {
        const canonical = checkWalletAddress("ETHEREUM", `0x${each.join("")}`);
        if (isRefused(canonical)) throw new Error("refused all-lower digits");
        expect(checkWalletAddress("ETHEREUM", canonical)).toBe(canonical);
      }),
    );
  });

  it("never throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.constantFrom(...networks), (text, network) => {
        expect(isRefused(checkWalletAddress(network, text))).toBe(true);
      }),
    );
  });
});
