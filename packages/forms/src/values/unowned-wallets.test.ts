import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Network, networks, networkTokens } from "./networks.ts";
import { unownedWallets } from "./unowned-wallets.ts";
import { canonicalAddress, checkWalletAddress, walletNetworks } from "./wallet-address.ts";

const refusal = { refused: "INVALID_WALLET_ADDRESS" };
const evm: readonly Network[] = ["ETHEREUM", "POL", "BNB"];
const numbered = (number: number) => `0x${number.toString(16).padStart(40, "0")}`;
/** Precompiles of Ethereum, by the EIPs. */
const precompiles = [...Array.from({ length: 17 }, (_, at) => at + 1), 0x100];

/** Well-formed addresses that nobody owns on the listed networks. */
const unowned: readonly (readonly [string, string, readonly Network[]])[] = [
  ["zero", numbered(0), evm],
  ["dead", "0x000000000000000000000000000000000000dEaD", evm],
  ["dead in lower case", "0x000000000000000000000000000000000000dead", evm],
  ["dead repeated", `0x${"dead".repeat(10)}`, evm],
  ["dead and zeros", `0xdead${"0".repeat(36)}`, evm],
  ["dead at both ends", `0xdead${"0".repeat(32)}dead`, evm],
  ["dead beef and zeros", `0xdeadbeef${"0".repeat(32)}`, evm],
  ["zeros and dead beef", numbered(0xdeadbeef), evm],
  ["a word and ones", `0xbadc0ffee${"1".repeat(31)}`, evm],
  ...Array.from("23456789abcdef", (digit) => [`${digit}s`, `0x${digit.repeat(40)}`, evm] as const),
  ["the coin's stand-in", "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", evm],
  ["ones", `0x${"1".repeat(40)}`, evm],
  ...precompiles.map((each) => [`precompile ${each}`, numbered(each), evm] as const),
  ["the deposit contract", "0x00000000219ab540356cBB839Cbe05303d7705Fa", evm],
  ["the beacon roots", "0x000F3df6D732807Ef1319fB7B8bB8522d0Beac02", evm],
  ...[0x64, 0x65, 0x66, 0x67, 0x68, 0x69].map(
    (each) => [`precompile ${each}`, numbered(each), ["BNB"]] as const,
  ),
  ["BNB's validator set", numbered(0x1000), ["POL", "BNB"]],
  ["BNB's governor", numbered(0x2004), ["BNB"]],
  ["Polygon's coin", numbered(0x1010), ["POL"]],
  ["USDC of Ethereum", "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", evm],
  ["USDC of Polygon in lower case", "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", evm],
  ["USDT of BNB", "0x55d398326f99059fF775485246999027B3197955", evm],
  ["USDC's mint", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", ["SOLANA"]],
  ["wrapped SOL's mint", "So11111111111111111111111111111111111111112", ["SOLANA"]],
  ["the system program", "11111111111111111111111111111111", ["SOLANA"]],
  ["the token program", "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", ["SOLANA"]],
  ["the clock", "SysvarC1ock11111111111111111111111111111111", ["SOLANA"]],
  ["burn and ones", "burn111111111111111111111111111111111111111", ["SOLANA"]],
  ["burn and ones in capitals", "Burn1111111111111111111111111111111111111111", ["SOLANA"]],
  ["the incinerator", "1nc1nerator11111111111111111111111111111111", ["SOLANA"]],
  ["a spelled address", "1BitcoinEaterAddressDontSendf59kuE", ["BTC"]],
  ["Counterparty's burn", "1CounterpartyXXXXXXXXXXXXXXXUWLpVr", ["BTC"]],
  ["the hash of zeros", "1111111111111111111114oLvT2", ["BTC"]],
  ["zeros in segwit", "BC1QQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ9E75RS", ["BTC"]],
  ["USDT's contract", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", ["TRX"]],
  ["zero on TRON", "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", ["TRX"]],
  ["TRON's black hole", "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy", ["TRX"]],
];

/** Addresses that somebody may own: exact tables must not refuse neighbouring addresses. */
const owned: readonly (readonly [string, string, readonly Network[]])[] = [
  ["after the precompiles", numbered(0x12), evm],
  ["before 0x100", numbered(0xff), evm],
  ["after 0x100", numbered(0x101), evm],
  ["BNB's precompile elsewhere", numbered(0x64), ["ETHEREUM", "POL"]],
  ["before BNB's", numbered(0x63), evm],
  ["after BNB's", numbered(0x6a), evm],
  ["a multisig: Safe's singleton", "0x41675C099F32341bf84BFc5382aF534df5C7461a", evm],
  ["a program-derived address", "5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1", ["SOLANA"]],
  ["P2TR", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0", ["BTC"]],
];

describe("a wallet that nobody can own", () => {
  it.each(unowned)("%s is refused: %s", (_what, address, on) => {
    for (const network of on) expect(checkWalletAddress(network, address)).toEqual(refusal);
    expect(walletNetworks(address)).toEqual([]);
  });

  it.each(owned)("%s is accepted: %s", (_what, address, on) => {
    for (const network of on) expect(checkWalletAddress(network, address)).toBeTypeOf("string");
  });

  it("is no numbered address outside the table", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0x12, max: 0xffff }), (number) => {
        fc.pre(number !== 0x100 && number !== 0xdead);
        expect(checkWalletAddress("ETHEREUM", numbered(number))).toBeTypeOf("string");
      }),
    );
  });
});

describe("the table", () => {
  // A row with a typing error would refuse nothing.
  it.each(networks)("of %s has well-formed addresses alone", (network) => {
    const table = [...unownedWallets[network], ...Object.values(networkTokens[network])];
    const wrong = table.filter((each) => canonicalAddress(network, each) === undefined);
    expect(table.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  it.each(networks)(
    "has the tokens of %s, on every network that shares its addresses",
    (network) => {
      const near = evm.includes(network) ? evm : [network];
      for (const token of Object.values(networkTokens[network])) {
        for (const each of near) expect(checkWalletAddress(each, token)).toEqual(refusal);
      }
    },
  );
});
