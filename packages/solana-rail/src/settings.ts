import {
  areUnique,
  count,
  keystoreSignerSchema,
  type Requirement,
  railsSchema,
  urlSchema,
  walletSettings,
} from "@disburse/chain-rail/wallet/settings.ts";
import { networkCurrencies } from "@disburse/forms/values/networks.ts";
import { readRailSettings } from "@disburse/rail/settings.ts";
import { address, isAddress } from "@solana/kit";
import { z } from "zod";

export const setting = "SOLANA_CHAINS";

const coin = "SOL";

const addressSchema = z
  .string()
  .refine((text) => isAddress(text), "must be an address in base58")
  .transform((text) => address(text));

const microLamports = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number of micro-lamports, in a string")
  .transform((text) => BigInt(text));

/** The wallet's key: a keystore file with its password file, or a remote signer. */
const signerSchema = z.union([
  keystoreSignerSchema,
  z
    .strictObject({ remote_signer_url: urlSchema })
    .transform(({ remote_signer_url: url }) => ({ kind: "remote" as const, url })),
]);

/** Nodes take this many signatures in one call, so a run needs one call for all transfers. */
const unsettledMax = 256;

const chainSchema = z.strictObject({
  ...walletSettings,
  /** The hash of the chain's first block, which names the chain. */
  genesis_hash: addressSchema.transform((hash): string => hash),
  /** The URLs of the nodes. They may contain keys and are never logged. */
  rpc_urls: z.array(urlSchema).min(1),
  wallet: addressSchema,
  signer: signerSchema,
  /** Set to `SOL` if the rail pays SOL. */
  native: z.literal(coin).optional(),
  tokens: z.record(z.string(), z.strictObject({ mint: addressSchema })).default({}),
  /** The bounds of the priority fee, in micro-lamports for a unit of computation. */
  priority_fee: z.strictObject({ min: microLamports, max: microLamports }),
  /** Alarm thresholds in whole units by currency; `coin` is SOL for fees and rents. */
  alarm_below: z
    .record(z.string(), z.string().regex(/^\d{1,15}(\.\d{1,9})?$/, "must be a decimal in a string"))
    .default({}),
  /** The maximum number of transfers whose transactions are not final. */
  unsettled_max: count(1, unsettledMax).default(64),
});

export type SolanaSettings = z.output<typeof chainSchema>;

const fileSchema = railsSchema(chainSchema, {
  walletOf: ({ genesis_hash: hash, wallet }) => `${hash}:${wallet}`,
  requirements,
});

/** Returns the requirements between settings of a chain. */
function requirements(chain: SolanaSettings): Requirement[] {
  const { native, tokens, priority_fee: fee } = chain;
  const paid = networkCurrencies.SOLANA.filter((code) => code !== coin);
  const foreign = Object.keys(tokens).filter((code) => !paid.includes(code));
  const unknown = Object.keys(chain.alarm_below).filter(
    (key) => key !== "coin" && !(key in tokens),
  );
  const mints = Object.values(tokens).map(({ mint }) => mint);
  return [
    [fee.min <= fee.max, "priority_fee: min must not exceed max"],
    [foreign.length === 0, `tokens: SOLANA has no token ${foreign.join(", ")}`],
    [areUnique(mints), "tokens: two tokens must not have the same mint"],
    [unknown.length === 0, `alarm_below: ${unknown.join(", ")} must be in tokens or coin`],
    [
      native !== undefined || mints.length > 0,
      "tokens: at least one token, or native, is required",
    ],
  ];
}

/** Reads the Solana wallets from settings. @throws {SettingsError} */
export function readSolanaChains(text: string): readonly SolanaSettings[] {
  return readRailSettings(setting, fileSchema, text);
}
