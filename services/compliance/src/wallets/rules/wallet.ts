import { createHash } from "node:crypto";
import { base58, base58check, bech32, bech32m } from "@scure/base";

/** Networks of one family share their addresses: who is listed on one is listed on all. */
export const walletFamilies = ["evm", "bitcoin", "tron", "solana"] as const;
export type WalletFamily = (typeof walletFamilies)[number];

const familyOfNetwork: ReadonlyMap<string, WalletFamily> = new Map([
  ["ETHEREUM", "evm"],
  ["POL", "evm"],
  ["BNB", "evm"],
  ["BTC", "bitcoin"],
  ["TRX", "tron"],
  ["SOLANA", "solana"],
]);

/** The networks that a wallet can be screened on. */
export const walletNetworks: readonly string[] = [...familyOfNetwork.keys()];

/** The family of a network, or `undefined` for a network that is not ours. */
export function walletFamily(network: string): WalletFamily | undefined {
  return familyOfNetwork.get(network);
}

const sha256Base58 = base58check((bytes: Uint8Array) =>
  createHash("sha256").update(bytes).digest(),
);

/**
 * What a coder of a library decodes, or `undefined` where it throws: the text is none of its own.
 */
function decoded<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

const evmAddress = /^0x([0-9a-f]{40})$/i;

function canonicalEvm(address: string): string | undefined {
  return evmAddress.exec(address)?.[1]?.toLowerCase();
}

/** Version byte and 20 bytes of hash, before the checksum. */
const base58PayloadLength = 21;
/** Bitcoin mainnet's versions: pay to public key hash, pay to script hash. */
const bitcoinVersions = [0x00, 0x05];
const tronVersion = 0x41;

function base58Version(address: string): number | undefined {
  const payload = decoded(() => sha256Base58.decode(address));
  return payload?.length === base58PayloadLength ? payload[0] : undefined;
}

/** Witness version 0 is bech32 (BIP 173), later ones are bech32m (BIP 350). */
function isSegwit(lowerCase: string): boolean {
  if (!lowerCase.startsWith("bc1")) return false;
  const zero = decoded(() => bech32.decode(lowerCase as `bc1${string}`));
  if (zero !== undefined) return zero.words[0] === 0;
  const later = decoded(() => bech32m.decode(lowerCase as `bc1${string}`));
  return later !== undefined && (later.words[0] ?? 0) > 0;
}

function canonicalBitcoin(address: string): string | undefined {
  const lowerCase = address.toLowerCase();
  const oneCase = address === lowerCase || address === address.toUpperCase();
  if (oneCase && isSegwit(lowerCase)) return lowerCase;
  const version = base58Version(address);
  return version !== undefined && bitcoinVersions.includes(version) ? address : undefined;
}

/** Its other spelling, of nodes and contracts: version and hash in hexadecimal. */
const tronHex = /^(?:0x)?(41[0-9a-f]{40})$/i;

function canonicalTron(address: string): string | undefined {
  const payload = tronHex.exec(address)?.[1];
  if (payload !== undefined) return sha256Base58.encode(Buffer.from(payload, "hex"));
  return base58Version(address) === tronVersion ? address : undefined;
}

const solanaKeyLength = 32;
/** 32 bytes are at most 44 base58 digits; decoding longer text is work for nothing. */
const solanaTextMax = 44;

function canonicalSolana(address: string): string | undefined {
  if (address.length > solanaTextMax) return undefined;
  const key = decoded(() => base58.decode(address));
  return key?.length === solanaKeyLength ? Buffer.from(key).toString("hex") : undefined;
}

const canonicalForms: Readonly<Record<WalletFamily, (address: string) => string | undefined>> = {
  evm: canonicalEvm,
  bitcoin: canonicalBitcoin,
  tron: canonicalTron,
  solana: canonicalSolana,
};

/** How an address is compared in a family, or `undefined` when it is no address of that family. */
export function canonicalWallet(family: WalletFamily, address: string): string | undefined {
  return canonicalForms[family](address);
}

/** A wallet in the families whose addresses it is compared with. */
export type Wallet = { readonly families: readonly WalletFamily[]; readonly address: string };
