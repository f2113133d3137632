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
 * Returns the canonical form of a main-net address, or a refusal if it is invalid or nobody can own
 * it. Checks checksums: EIP-55 for mixed-case EVM addresses, base58check and bech32/bech32m for
 * Bitcoin, base58check for TRON. Solana addresses have no checksum: any base58 of 32 bytes is
 * valid, on the curve or not.
 */
export function checkWalletAddress(network: Network, address: string): string | WalletRefusal {
  const canonical = canonicalAddress(network, address);
  if (canonical === undefined || isUnowned(network, canonical)) {
    return refused("INVALID_WALLET_ADDRESS");
  }
  return canonical;
}

/**
 * Returns the networks on which an address is valid, in the interface's order. Returns none if the
 * address has no owner on one of them, because the sender may pay there.
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

/** Returns the canonical form of a well-formed address, even if nobody can own it. */
export function canonicalAddress(network: Network, address: string): string | undefined {
  // Base58 decoding takes quadratic time. No address is near this length.
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
 * EIP-55: a letter is upper case if the lower-case address's hash has 8 or more at its position.
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
 * Program lengths by witness version: 20 and 32 bytes (BIP-141), 32 bytes (BIP-341). Other versions
 * and lengths have no rules yet, so any miner can spend them.
 */
const programBytes: readonly (readonly number[])[] = [[20, 32], [32]];

/**
 * BIP-173 and BIP-350: version 0 uses bech32, 1 bech32m. One case only; lower case is canonical.
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

/** Returns the five-bit words if the checksum matches their version. */
function segwitWords(address: Bech32Text): number[] | undefined {
  const plain = decoded(() => bech32.decode(address));
  if (plain?.words[0] === 0) return plain.words;
  const modified = decoded(() => bech32m.decode(address));
  return modified === undefined || modified.words[0] === 0 ? undefined : modified.words;
}

/** The libraries throw on undecodable text. Here that is a result, not a bug. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
