import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base58, bech32, bech32m, createBase58check } from "@scure/base";
import { lengths } from "../fields/make.ts";
import { type Network, networks } from "./networks.ts";
import { isUnowned } from "./unowned-wallets.ts";

export type WalletRefusal = Refused<"INVALID_WALLET_ADDRESS">;

const base58check = createBase58check(sha256);

/**
 * Returns the canonical form of a main-net address. Returns a refusal if the address is invalid or
 * no one can own it. Verifies the checksums of EVM addresses in mixed case (EIP-55), of Bitcoin
 * (base58check, bech32, bech32m) and of TRON (base58check). Solana addresses have no checksum. Any
 * base58 text of 32 bytes is valid, on the curve or not.
 */
export function checkWalletAddress(network: Network, address: string): string | WalletRefusal {
  const canonical = canonicalAddress(network, address);
  if (canonical === undefined || isUnowned(network, canonical)) {
    return refused("INVALID_WALLET_ADDRESS");
  }
  return canonical;
}

/**
 * Returns the networks on which an address is valid, in the interface's order. If the address has
 * no owner on one of them, returns none, because the sender may pay on that network.
 */
export function walletNetworks(address: string): readonly Network[] {
  const valid: Network[] = [];
  for (const network of networks) {
    const canonical = canonicalAddress(network, address);
    if (canonical === undefined) continue;
    if (isUnowned(network, canonical)) return [];
    valid.push(network);
  }
  return valid;
}

/** Returns the canonical form of a well-formed address, even if no one can own it. */
export function canonicalAddress(network: Network, address: string): string | undefined {
  // Long texts are rejected first, because base58 decoding takes quadratic time. No address is near
  // this length.
  return address.length > lengths.wallet ? undefined : canonicalOn[network](address);
}

type Canonical = (address: string) => string | undefined;

const canonicalOn: Readonly<Record<Network, Canonical>> = {
  ETHEREUM: canonicalEvm,
  POL: canonicalEvm,
  BNB: canonicalEvm,
  SOLANA: canonicalSolana,
  BTC: (address) => canonicalSegwit(address) ?? canonicalBase58check(address, bitcoinVersions),
  TRX: (address) => canonicalBase58check(address, tronVersions),
};

const evmAddress = /^0x[0-9a-fA-F]{40}$/;

/**
 * Returns the address with its EIP-55 checksum. A letter is upper case if the hash of the
 * lower-case address has 8 or more at the same position.
 */
function canonicalEvm(address: string): string | undefined {
  if (!evmAddress.test(address)) return undefined;
  const digits = address.slice(2);
  const lower = digits.toLowerCase();
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  const checksummed = Array.from(lower, (digit, at) =>
    Number.parseInt(hash.charAt(at), 16) >= 8 ? digit.toUpperCase() : digit,
  ).join("");
  const plain = digits === lower || digits === digits.toUpperCase();
  return plain || digits === checksummed ? `0x${checksummed}` : undefined;
}

/** Length of an ed25519 public key or a program-derived address. */
const solanaBytes = 32;

function canonicalSolana(address: string): string | undefined {
  return decoded(() => base58.decode(address))?.length === solanaBytes ? address : undefined;
}

/** P2PKH and P2SH of Bitcoin's main net (base58check version bytes). */
const bitcoinVersions: readonly number[] = [0x00, 0x05];

/** TRON's main net. Every address begins with `T`. */
const tronVersions: readonly number[] = [0x41];

/** One version byte and a 20-byte hash. */
const versionedHashBytes = 21;

function canonicalBase58check(address: string, versions: readonly number[]): string | undefined {
  const bytes = decoded(() => base58check.decode(address));
  if (bytes?.length !== versionedHashBytes) return undefined;
  return versions.some((version) => version === bytes[0]) ? address : undefined;
}

type Bech32Text = `${string}1${string}`;

/** The human-readable part of Bitcoin's main net and the separator (BIP-173). */
function isBitcoinBech32(text: string): text is Bech32Text {
  return text.startsWith("bc1");
}

/**
 * Program lengths by witness version: 20 or 32 bytes for version 0 (BIP-141), 32 bytes for version
 * 1 (BIP-341). Other versions and lengths have no rules yet, so any miner can spend their coins.
 */
const programBytes: readonly (readonly number[])[] = [[20, 32], [32]];

/**
 * Returns a SegWit address in its canonical form, which is lower case. Version 0 uses bech32
 * (BIP-173) and version 1 uses bech32m (BIP-350). Mixed case is invalid.
 */
function canonicalSegwit(address: string): string | undefined {
  const lower = address.toLowerCase();
  if (address !== lower && address !== address.toUpperCase()) return undefined;
  if (!isBitcoinBech32(lower)) return undefined;
  const words = segwitWords(lower);
  const lengthsOfVersion = programBytes[words?.[0] ?? Number.NaN];
  if (words === undefined || lengthsOfVersion === undefined) return undefined;
  const program = decoded(() => bech32.fromWords(words.slice(1)));
  return program !== undefined && lengthsOfVersion.includes(program.length) ? lower : undefined;
}

/**
 * Returns the address's five-bit words if the checksum has the type that their version requires.
 */
function segwitWords(address: Bech32Text): number[] | undefined {
  const plain = decoded(() => bech32.decode(address));
  if (plain?.words[0] === 0) return plain.words;
  const modified = decoded(() => bech32m.decode(address));
  return modified === undefined || modified.words[0] === 0 ? undefined : modified.words;
}

/**
 * Returns `undefined` for text that can't be decoded. The libraries throw, but here this is a
 * normal result and not a bug.
 */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
