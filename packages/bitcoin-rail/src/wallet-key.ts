import { checkWalletAddress } from "@disburse/forms/values/wallet-address.ts";
import { hex } from "@scure/base";
import { Address, bip32Path, NETWORK, OutScript, p2wpkh } from "@scure/btc-signer";

/** The chains of Bitcoin, as nodes name them. */
export const chains = ["main", "test", "testnet4", "signet", "regtest"] as const;
export type BitcoinChainName = (typeof chains)[number];

/** The public key of the paying wallet, from its descriptor. It can watch, but not sign. */
export type WalletKey = {
  readonly descriptor: string;
  readonly publicKey: Uint8Array;
  /** The origin of the key, by which an external signer finds it. */
  readonly origin: { readonly fingerprint: number; readonly path: number[] } | undefined;
  /** The script of every output to the wallet. */
  readonly script: Uint8Array;
  /** The wallet's address on its chain. */
  readonly address: string;
};

/** A coin of the wallet: `txid:output` and its amount in satoshi. */
export type Coin = { readonly id: string; readonly amount: bigint };

/**
 * A descriptor of one key (BIP-380 to BIP-382): `wpkh([d34db33f/84h/0h/0h/0/0]02…)#checksum`. The
 * node verifies the checksum.
 */
const descriptorPattern =
  /^wpkh\((?:\[([0-9a-f]{8})((?:\/\d{1,10}['h]?)*)\])?(0[23][0-9a-f]{64})\)#[a-z0-9]{8}$/;

const test = { bech32: "tb", pubKeyHash: 0x6f, scriptHash: 0xc4, wif: 0xef };
const networks = {
  main: NETWORK,
  test,
  testnet4: test,
  signet: test,
  regtest: { ...test, bech32: "bcrt" },
};

/** Reads a descriptor. Returns `undefined` if it has another form or an invalid key. */
export function readWalletKey(descriptor: string, chain: BitcoinChainName): WalletKey | undefined {
  const [, fingerprint, path = "", key = ""] = descriptorPattern.exec(descriptor) ?? [];
  const publicKey = hex.decode(key);
  const payment = paymentTo(publicKey, chain);
  if (payment?.address === undefined) return undefined;
  const origin =
    fingerprint === undefined
      ? undefined
      : {
          fingerprint: Number.parseInt(fingerprint, 16),
          path: path === "" ? [] : bip32Path(`m${path.replaceAll("h", "'")}`),
        };
  return { descriptor, publicKey, origin, script: payment.script, address: payment.address };
}

function paymentTo(publicKey: Uint8Array, chain: BitcoinChainName) {
  try {
    return p2wpkh(publicKey, networks[chain]);
  } catch {
    // The bytes are no point of the curve.
    return undefined;
  }
}

/**
 * Returns the output script of a main-net address. Returns `undefined` if the address is invalid, or
 * if no one can own it. The interface has main-net addresses only. On a test chain the rail pays the
 * same script.
 */
export function scriptOf(address: string): Uint8Array | undefined {
  const checked = checkWalletAddress("BTC", address);
  if (typeof checked !== "string") return undefined;
  try {
    const decoded = Address(NETWORK).decode(checked);
    return OutScript.encode(decoded as Parameters<typeof OutScript.encode>[0]);
  } catch {
    // The bytes of a taproot address are no point of the curve.
    return undefined;
  }
}

/**
 * Returns the amount below which nodes do not relay an output (Bitcoin Core `GetDustThreshold`): 3
 * satoshi for each byte of the output and of the input that spends it.
 */
export function dustOf(script: Uint8Array): bigint {
  const isSegwit = script[0] === 0 || (script[0] ?? 0) >= 0x51;
  const isWitnessProgram = isSegwit && script.length >= 22 && script[1] === script.length - 2;
  const output = 8 + 1 + script.length;
  return 3n * BigInt(output + (isWitnessProgram ? 67 : 148));
}
