import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { base58, bech32, bech32m, createBase58check } from "@scure/base";
import { lengths } from "../fields/make.ts";
import { type Network, networks } from "./networks.ts";
import { isUnowned } from "./unowned-wallets.ts";

/** Why a wallet address is refused. */
export type WalletRefusal = Refused<"INVALID_WALLET_ADDRESS">;

const base58check = createBase58check(sha256);

/**
 * The canonical form of a main-net address that can have an owner, or a refusal. Checksums are
 * checked: EIP-55 where an EVM address mixes cases, base58check and bech32/bech32m of Bitcoin,
 * base58check of TRON. Solana's have none: they are base58 of 32 bytes, on the curve or not.
 */
export function checkWalletAddress(network: Network, address: string): string | WalletRefusal {
  const canonical = canonicalAddress(network, address);
  if (canonical === undefined || isUnowned(network, canonical)) {
    return refused("INVALID_WALLET_ADDRESS");
  }
  return canonical;
}

/**
 * The networks on which an address is valid, in the order of the interface; none for no address,
 * and none where it has no owner on one of them: the sender may pay there.
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

/** The canonical form of a well-formed address, owned or not. */
export function canonicalAddress(network: Network, address: string): string | undefined {
  // Base58 is decoded in quadratic time; no address is near this length.
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

/** EIP-55: a letter is upper case where the hash of the lower-case address has 8 or more there. */
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

/** Bytes of an ed25519 public key or a program-derived address. */
const solanaBytes = 32;

function canonicalSolana(address: string): string | undefined {
  return decoded(() => base58.decode(address))?.length === solanaBytes ? address : undefined;
}

/** P2PKH and P2SH of Bitcoin's main net (base58check version bytes). */
const bitcoinVersions: readonly number[] = [0x00, 0x05];

/** TRON's main net: every address begins with `T`. */
const tronVersions: readonly number[] = [0x41];

/** One version byte and a hash of 20. */
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
 * Lengths of a witness program by its version: 20 and 32 bytes of BIP-141, 32 of BIP-341. Programs
 * of other versions and lengths have no rules yet: any miner can spend them.
 */
const programBytes: readonly (readonly number[])[] = [[20, 32], [32]];

/** BIP-173 and BIP-350: version 0 by bech32, 1 by bech32m; one case; lower case is canonical. */
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

/** The five-bit words, where the checksum is the one that their version calls for. */
function segwitWords(address: Bech32Text): number[] | undefined {
  const plain = decoded(() => bech32.decode(address));
  if (plain?.words[0] === 0) return plain.words;
  const modified = decoded(() => bech32m.decode(address));
  return modified === undefined || modified.words[0] === 0 ? undefined : modified.words;
}

/** The libraries throw at text that they cannot decode; that is an answer here, not a bug. */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
