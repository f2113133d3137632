import { sha256 } from "@noble/hashes/sha2.js";
import { hexToBytes } from "@noble/hashes/utils.js";
import { createBase58check } from "@scure/base";
import { type Network, networkTokens } from "./networks.ts";

/*
 * Well-formed addresses without an owner: money sent there is lost. Other contracts and
 * program-derived addresses are payable, because multisig wallets are among them.
 */

const hexDigits = Array.from("0123456789abcdef");

/** Returns a number as 20 bytes in hexadecimal, the form of addresses on EVM networks and TRON. */
const padded = (number: number): string => number.toString(16).padStart(40, "0");

/** The zero address and common burn addresses. No key has an address with these 20 bytes. */
const burnHashes: readonly string[] = [
  ...hexDigits.map((digit) => digit.repeat(40)),
  padded(0xdead),
  "dead".padEnd(40, "0"),
  `dead${"0".repeat(32)}dead`,
  padded(0xdeadbeef),
  "deadbeef".padEnd(40, "0"),
  "dead".repeat(10),
  "deadbeef".repeat(5),
  "dead000000000000000042069420694206942069",
];

/**
 * Precompiled contracts (EIP-2046). 0x01 to 0x04 exist since Frontier. The others were added by
 * EIP-198, EIP-196 and EIP-197 (0x05 to 0x08), EIP-152 (0x09), EIP-4844 (0x0a), EIP-2537 (0x0b to
 * 0x11) and EIP-7951 (0x100).
 */
const evmPrecompiles: readonly number[] = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10,
  0x11, 0x100,
];

/**
 * Protocol contracts: the deposit contract (EIP-2982), the system address, and the contracts of
 * EIP-4788, EIP-2935, EIP-7002 and EIP-7251. They exist on all three networks, which have the same
 * forks.
 */
const evmSystemContracts: readonly string[] = [
  "00000000219ab540356cbb839cbe05303d7705fa",
  "fffffffffffffffffffffffffffffffffffffffe",
  "000f3df6d732807ef1319fb7b8bb8522d0beac02",
  "0000f90827f1c53a10cb7a02335b175320002935",
  "00000961ef480eb55e80d19ad83579a64c007002",
  "0000bbddc7ce488642fb579f8b00f3a590007251",
];

/** Polygon's bor: validator set, state receiver, and the coin's own contract. */
const polygonContracts: readonly number[] = [0x1000, 0x1001, 0x1010];

/** BNB Smart Chain's `core/vm/contracts.go`: light clients, BLS, evidence, recovery of signers. */
const bnbPrecompiles: readonly number[] = [0x64, 0x65, 0x66, 0x67, 0x68, 0x69];

/** From BNB Smart Chain's `core/systemcontracts/const.go`. */
const bnbContracts: readonly number[] = [
  0x1000, 0x1001, 0x1002, 0x1003, 0x1004, 0x1005, 0x1006, 0x1007, 0x1008, 0x2000, 0x2001, 0x2002,
  0x2003, 0x2004, 0x2005, 0x2006, 0x3000,
];

/** From TRON's `PrecompiledContracts.java`. */
const tronPrecompiles: readonly number[] = [
  0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x100,
  0x020003, 0x020009, 0x02000a, 0x01000001, 0x01000002, 0x01000003, 0x01000004, 0x01000005,
  0x01000006, 0x01000007, 0x01000008, 0x01000009, 0x0100000a, 0x0100000b, 0x0100000c, 0x0100000d,
  0x0100000e, 0x0100000f, 0x01000010, 0x01000011, 0x01000012, 0x01000013, 0x01000014, 0x01000015,
];

/** The account `Blackhole` of TRON's genesis block, which received burnt fees. */
const tronBlackHole = "TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy";

/** Native programs and sysvars (`solana-sdk-ids`), SPL programs (spl.solana.com), incinerator. */
const solanaAccounts: readonly string[] = [
  "11111111111111111111111111111111",
  "AddressLookupTab1e1111111111111111111111111",
  "BPFLoader1111111111111111111111111111111111",
  "BPFLoader2111111111111111111111111111111111",
  "BPFLoaderUpgradeab1e11111111111111111111111",
  "ComputeBudget111111111111111111111111111111",
  "Config1111111111111111111111111111111111111",
  "Ed25519SigVerify111111111111111111111111111",
  "Feature111111111111111111111111111111111111",
  "KeccakSecp256k11111111111111111111111111111",
  "LoaderV411111111111111111111111111111111111",
  "NativeLoader1111111111111111111111111111111",
  "Secp256r1SigVerify1111111111111111111111111",
  "Stake11111111111111111111111111111111111111",
  "StakeConfig11111111111111111111111111111111",
  "Vote111111111111111111111111111111111111111",
  "ZkE1Gama1Proof11111111111111111111111111111",
  "ZkTokenProof1111111111111111111111111111111",
  "Sysvar1111111111111111111111111111111111111",
  "Sysvar1nstructions1111111111111111111111111",
  "SysvarC1ock11111111111111111111111111111111",
  "SysvarEpochRewards1111111111111111111111111",
  "SysvarEpochSchedu1e111111111111111111111111",
  "SysvarFees111111111111111111111111111111111",
  "SysvarLastRestartS1ot1111111111111111111111",
  "SysvarRecentB1ockHashes11111111111111111111",
  "SysvarRent111111111111111111111111111111111",
  "SysvarRewards111111111111111111111111111111",
  "SysvarS1otHashes111111111111111111111111111",
  "SysvarS1otHistory11111111111111111111111111",
  "SysvarStakeHistory1111111111111111111111111",
  "1nc1nerator11111111111111111111111111111111",
  "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
  "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb",
  "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
  "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo",
  "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
  "namesLPneVptA9Z5rqUDD9tMTWEJwofgaYwp8cawRkX",
  "SPoo1Ku8WFXoNDMHPsrGSTSG1Y47rzgn41SLUNakuHy",
  "SwaPpA9LAaLfeLi3a68M4DjnLqgtticKg6CnyNwgAC8",
  "LendZqTs7gn5CTSJU1jWKhKuVpjJGom45nnwPb2AMTi",
];

/**
 * Hashes of zeros and of empty data, and names spelled in base58. Each has received coins that
 * never moved (en.bitcoin.it, "Proof of burn").
 */
const bitcoinBurns: readonly string[] = [
  "1111111111111111111114oLvT2",
  "31h1vYVSYuKP6AhS86fbRdMw9XHieotbST",
  "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs",
  "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqthqst8",
  "bc1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqpqqenm",
  "1HT7xU2Ngenf7D4yocz2SAcnNLW7rK8d4E",
  "1BitcoinEaterAddressDontSendf59kuE",
  "1CounterpartyXXXXXXXXXXXXXXXUWLpVr",
  "1ChancecoinXXXXXXXXXXXXXXXXXZELUFD",
];

const base58check = createBase58check(sha256);
const tronAddress = (hash: string): string => base58check.encode(hexToBytes(`41${hash}`));
const evmAddress = (hash: string): string => `0x${hash}`;

const evmNetworks = ["ETHEREUM", "POL", "BNB"] as const;
/**
 * The tokens of all EVM networks. An address belongs to the same account on every EVM network, so a
 * token of one network is refused on all of them.
 */
const evmTokens = evmNetworks.flatMap((network) => Object.values(networkTokens[network]));

/** Returns addresses in lower case, without the EIP-55 checksum. */
const evmTable = (...own: readonly number[]): ReadonlySet<string> => {
  const hashes = [...burnHashes, ...evmSystemContracts, ...[...evmPrecompiles, ...own].map(padded)];
  return new Set([...hashes.map(evmAddress), ...evmTokens.map((token) => token.toLowerCase())]);
};

/** The wallets without an owner, by network. EVM addresses are in lower case. */
export const unownedWallets: Readonly<Record<Network, ReadonlySet<string>>> = {
  ETHEREUM: evmTable(),
  POL: evmTable(...polygonContracts),
  BNB: evmTable(...bnbPrecompiles, ...bnbContracts),
  SOLANA: new Set([...solanaAccounts, ...Object.values(networkTokens.SOLANA)]),
  BTC: new Set(bitcoinBurns),
  TRX: new Set([
    ...[...burnHashes, ...tronPrecompiles.map(padded)].map(tronAddress),
    ...Object.values(networkTokens.TRX),
    tronBlackHole,
  ]),
};

/**
 * Addresses that end with a word and repeated padding, such as `burn1111…` on Solana. These endings
 * fix at least 92 bits, so no key has such an address by chance. Solana's programs and sysvars have
 * such addresses too.
 */
const filledUp: Partial<Record<Network, RegExp>> = {
  ETHEREUM: /(.)\1{23}$/i,
  POL: /(.)\1{23}$/i,
  BNB: /(.)\1{23}$/i,
  SOLANA: /1{16}$/,
};

/**
 * Returns true for burn addresses, precompiles, system accounts and tokens. Expects a well-formed
 * address.
 */
export function isUnowned(network: Network, address: string): boolean {
  const known = unownedWallets[network];
  if (filledUp[network]?.test(address) === true) return true;
  return known.has(address) || (address.startsWith("0x") && known.has(address.toLowerCase()));
}
