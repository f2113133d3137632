import { createHash } from "node:crypto";
import { base58, base58check, bech32, bech32m } from "@scure/base";
import type { ListEntry } from "../../lists/rules/entry.ts";

/**
 * Families of networks. Networks of one family have the same addresses, so an address that is
 * listed on one is listed on all.
 */
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

/** Returns `undefined` for an unsupported network. */
export function walletFamily(network: string): WalletFamily | undefined {
  return familyOfNetwork.get(network);
}

const sha256Base58 = base58check((bytes: Uint8Array) =>
  createHash("sha256").update(bytes).digest(),
);

/** Returns `undefined` if the decoder throws, which it does for invalid text. */
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

/** The payload length before the checksum: one version byte and a hash of 20 bytes. */
const base58PayloadLength = 21;
/** Bitcoin mainnet's versions: pay to public key hash, pay to script hash. */
const bitcoinVersions = [0x00, 0x05];
const tronVersion = 0x41;

function base58Version(address: string): number | undefined {
  const payload = decoded(() => sha256Base58.decode(address));
  return payload?.length === base58PayloadLength ? payload[0] : undefined;
}

/**
 * True for a SegWit address. Witness version 0 uses bech32 (BIP 173), later versions use bech32m
 * (BIP 350).
 */
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

/** The form of Tron addresses that nodes and contracts use: version and hash in hexadecimal. */
const tronHex = /^(?:0x)?(41[0-9a-f]{40})$/i;

function canonicalTron(address: string): string | undefined {
  const payload = tronHex.exec(address)?.[1];
  if (payload !== undefined) return sha256Base58.encode(Buffer.from(payload, "hex"));
  return base58Version(address) === tronVersion ? address : undefined;
}

const solanaKeyLength = 32;
/**
 * The maximum length of a Solana address: 32 bytes have at most 44 base58 digits. Decoding a longer
 * text would waste time.
 */
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

/** Returns the compared form of an address in a family, or `undefined` if it has another form. */
export function canonicalWallet(family: WalletFamily, address: string): string | undefined {
  return canonicalForms[family](address);
}

/** A wallet with the families in which its address is compared. */
export type Wallet = { readonly families: readonly WalletFamily[]; readonly address: string };

export type WalletIndex = ReturnType<typeof buildWalletIndex>;

/**
 * Indexes every listed address under each family whose address format it has. The list's ticker
 * does not decide, because a `USDT` address may belong to one of three networks. Addresses of
 * unsupported networks are left out.
 */
export function buildWalletIndex(entries: Iterable<ListEntry>) {
  const listed = new Map<string, { entry: ListEntry; currency: string }[]>();
  for (const entry of entries) {
    for (const { currency, address } of entry.wallets) {
      for (const family of walletFamilies) {
        const canonical = canonicalWallet(family, address);
        if (canonical === undefined) continue;
        const key = `${family}:${canonical}`;
        const same = listed.get(key);
        if (same === undefined) listed.set(key, [{ entry, currency }]);
        else if (same.every((other) => other.entry !== entry)) same.push({ entry, currency });
      }
    }
  }
  return {
    /**
     * Returns entries that list this address in one of the families. It compares for equality,
     * without a score.
     */
    find: (families: readonly WalletFamily[], address: string) =>
      families
        .flatMap((family) => listed.get(`${family}:${canonicalWallet(family, address)}`) ?? [])
        .map(({ entry, currency }) => {
          const as = currency === "" ? "" : ` as ${currency}`;
          const text = `wallet: this address is listed${as}`;
          const reasons = [{ kind: "wallet" as const, text, effect: 1 }];
          return { entry, matchedName: entry.names[0]?.name ?? "", reasons };
        }),
  };
}

/**
 * Returns the families in which an address is compared: those of the given networks, or all that
 * fit if none is given. Returns `undefined` if a network is unsupported or the address fits none.
 * Such a wallet must not be cleared.
 */
export function walletFamiliesOf(
  networks: readonly string[],
  address: string,
): readonly WalletFamily[] | undefined {
  const candidates = networks.length === 0 ? walletFamilies : networks.map(walletFamily);
  const families = new Set<WalletFamily>();
  for (const family of candidates) {
    if (family !== undefined && canonicalWallet(family, address) !== undefined)
      families.add(family);
    else if (networks.length > 0) return undefined;
  }
  return families.size === 0 ? undefined : [...families];
}
