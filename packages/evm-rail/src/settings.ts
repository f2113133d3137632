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
import { findCurrency } from "@disburse/kernel/currency.ts";
import { readRailSettings } from "@disburse/rail/settings.ts";
import { getAddress, isAddress, parseGwei } from "viem";
import { z } from "zod";

export const setting = "EVM_CHAINS";

/** The networks of the public interface that are EVM chains. */
export const evmNetworks = ["ETHEREUM", "POL", "BNB"] as const;

/**
 * Requires an address with a checksum (ERC-55). Without a checksum, a typing error would result in
 * another valid address.
 */
const addressSchema = z
  .string()
  .refine(
    (text) => isAddress(text) && getAddress(text) === text,
    "must be an address with its checksum",
  )
  .transform((text) => getAddress(text));

/** The price of a unit of gas in gwei: `30` or `1.5`. */
const gweiSchema = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be an amount in gwei, as a decimal in a string")
  .transform((text) => parseGwei(text));

/** Each network's own coin, if Disburse pays that coin. On BNB, ETH is only a token. */
const coins: Readonly<Record<(typeof evmNetworks)[number], string | undefined>> = {
  ETHEREUM: "ETH",
  POL: "MATIC_POLYGON",
  BNB: undefined,
};

const currencySchema = z
  .string()
  .refine((code) => findCurrency(code)?.kind === "crypto", "must be a crypto currency's code");

/** The wallet's key: a keystore file with its password file, or a remote signer. */
const signerSchema = z.union([
  keystoreSignerSchema,
  z
    .strictObject({ web3signer_url: urlSchema })
    .transform(({ web3signer_url: url }) => ({ kind: "web3signer" as const, url })),
]);

/**
 * The maximum number of unmined transactions of a wallet. Nodes drop more than this (geth keeps 16
 * per account).
 */
const unminedMax = 16;

const chainSchema = z.strictObject({
  ...walletSettings,
  network: z.enum(evmNetworks),
  chain_id: count(1, Number.MAX_SAFE_INTEGER),
  /** The URLs of the nodes. They may contain keys and are never logged. */
  rpc_urls: z.array(urlSchema).min(1),
  /**
   * A block is final when the chain reports it as `finalized`, or when this many blocks exist,
   * including the block itself.
   */
  finality: z.union([z.literal("finalized"), count(1, 10_000)]),
  wallet: addressSchema,
  signer: signerSchema,
  /** The currency of the chain's own coin. Set it if the rail pays this coin. */
  native: currencySchema.optional(),
  tokens: z
    .record(
      currencySchema,
      z.strictObject({
        contract: addressSchema,
        decimals: count(0, 36),
        gas_limit: count(21_000, 10_000_000).default(120_000),
      }),
    )
    .default({}),
  /** Alarm thresholds in whole units by currency; `coin` is the chain's own coin. */
  alarm_below: z
    .record(
      z.string(),
      z.string().regex(/^\d{1,15}(\.\d{1,18})?$/, "must be a decimal in a string"),
    )
    .default({}),
  /** The gas limit of a coin transfer. The default suffices for a wallet that is a contract. */
  native_gas_limit: count(21_000, 10_000_000).default(60_000),
  max_fee_gwei: gweiSchema,
  tip_gwei: gweiSchema,
  bump_after_seconds: count(1, 86_400).default(60),
  /** The number of later blocks after which a settled transfer is no longer watched. */
  watch_blocks: count(0, 100_000).default(64),
  unmined_max: count(1, unminedMax).default(unminedMax),
  /** The wallet's next nonce. Operators set it after the wallet's key was used elsewhere. */
  nonce_from: count(0, Number.MAX_SAFE_INTEGER).default(0),
});

export type EvmChainSettings = z.output<typeof chainSchema>;

const fileSchema = railsSchema(chainSchema, {
  walletOf: ({ chain_id: id, wallet }) => `${id}:${wallet}`,
  requirements,
});

/** Returns the requirements between settings of a chain. */
function requirements(chain: EvmChainSettings): Requirement[] {
  const { network, native, tokens } = chain;
  const coin = coins[network];
  const paid = networkCurrencies[network].filter((code) => code !== coin);
  const foreign = Object.keys(tokens).filter((code) => !paid.includes(code));
  const unknown = Object.keys(chain.alarm_below).filter(
    (key) => key !== "coin" && !(key in tokens),
  );
  const contracts = Object.values(tokens).map(({ contract }) => contract);
  return [
    [chain.tip_gwei <= chain.max_fee_gwei, "tip_gwei: must not exceed max_fee_gwei"],
    [chain.max_fee_gwei > 0n, "max_fee_gwei: must be above zero"],
    [native === undefined || native === coin, `native: must be the coin of ${network}`],
    [foreign.length === 0, `tokens: ${network} has no token ${foreign.join(", ")}`],
    [areUnique(contracts), "tokens: two tokens must not have the same contract"],
    [unknown.length === 0, `alarm_below: ${unknown.join(", ")} must be in tokens or native`],
    [
      native !== undefined || contracts.length > 0,
      "tokens: at least one token, or native, is required",
    ],
  ];
}

/** Reads the EVM chains from settings. @throws {SettingsError} */
export function readEvmChains(text: string): readonly EvmChainSettings[] {
  return readRailSettings(setting, fileSchema, text);
}
