import {
  count,
  keystoreSignerSchema,
  liveProblems as liveProblemsOf,
  type Requirement,
  railsSchema,
  urlSchema,
  walletSettings,
} from "@disburse/chain-rail/wallet/settings.ts";
import { readRailSettings } from "@disburse/rail/settings.ts";
import { z } from "zod";
import { chains, readWalletKey } from "./wallet-key.ts";

export const setting = "BITCOIN_RAILS";

/** The network and the currency of the public interface. */
export const network = "BTC";
export const currency = "BTC";

const file = z.string().min(1);

/** The wallet's key: a keystore file with its password file, or a remote signer. */
const signerSchema = z.union([
  keystoreSignerSchema,
  z
    .strictObject({ url: urlSchema, token_file: file })
    .transform(({ url, token_file: tokenFile }) => ({ kind: "remote" as const, url, tokenFile })),
]);
export type SignerSettings = z.output<typeof signerSchema>;

/** The maximum number of outputs of a batch. Its transaction then has less than 4,000 bytes. */
const payoutsMax = 100;

const railSchema = z.strictObject({
  ...walletSettings,
  chain: z.enum(chains),
  /** The nodes, each with the path of its watch-only wallet: `https://node.example/wallet/payouts`. */
  nodes: z.array(z.strictObject({ url: urlSchema, credentials_file: file })).min(1),
  /** The wallet: `wpkh([d34db33f/84h/0h/0h/0/0]02…)#checksum`. */
  descriptor: z.string().max(500),
  signer: signerSchema,
  /** A transaction with this many confirmations is final. Only such coins are spent. */
  finality: count(1, 1_000).default(6),
  /** Bounds of the fee rate, in satoshi per virtual byte. */
  min_fee_rate: count(1, 10_000).default(1),
  max_fee_rate: count(1, 10_000),
  /** The number of blocks within which a transaction should be mined, for the nodes' estimates. */
  fee_target_blocks: count(1, 1_008).default(6),
  bump_after_seconds: count(1, 86_400).default(1_800),
  /** The time that the oldest waiting payout waits for others to join its batch. */
  batch_after_seconds: count(0, 86_400).default(60),
  batch_max: count(1, payoutsMax).default(payoutsMax),
  /** The number of coins below which a batch splits its change, so that others can follow. */
  coins: count(1, 100).default(8),
  /** The number of later blocks after which an ended batch is no longer watched. */
  watch_blocks: count(1, 10_000).default(100),
  /**
   * Spends of the wallet's coins that operators checked after the wallet was used outside of this
   * rail, or after a restore.
   */
  known_transactions: z.array(z.string().regex(/^[0-9a-f]{64}$/)).default([]),
  /** The balance in bitcoin below which an alert fires. */
  alarm_below: z
    .string()
    .regex(/^\d{1,8}(\.\d{1,8})?$/, "must be a decimal in a string")
    .default("0"),
  poll_ms: walletSettings.poll_ms.default(5_000),
});

export type BitcoinSettings = z.output<typeof railSchema>;

const fileSchema = railsSchema(railSchema, {
  walletOf: ({ chain, descriptor }) => readWalletKey(descriptor, chain)?.address,
  requirements,
});

/** Returns the requirements between settings of a rail. */
function requirements({ chain, descriptor, ...rail }: BitcoinSettings): Requirement[] {
  return [
    [rail.min_fee_rate <= rail.max_fee_rate, "min_fee_rate: must not exceed max_fee_rate"],
    [rail.watch_blocks >= rail.finality, "watch_blocks: must not be below finality"],
    [
      readWalletKey(descriptor, chain) !== undefined,
      "descriptor: must be wpkh(KEY)#checksum with one compressed public key",
    ],
  ];
}

/** Returns violations of live mode's rules. */
export function liveProblems(rails: readonly BitcoinSettings[]): string[] {
  const hasty = rails.filter(({ finality }) => finality < 2);
  return [
    ...hasty.map(({ rail }) => `${rail}: live mode requires a finality of at least 2`),
    ...liveProblemsOf(rails),
  ];
}

/** Reads the rails from settings. @throws {SettingsError} */
export function readBitcoinRails(text: string): readonly BitcoinSettings[] {
  return readRailSettings(setting, fileSchema, text);
}
