import { SettingsError } from "@disburse/chassis/settings.ts";
import { findCurrency } from "@disburse/kernel/currency.ts";
import { getAddress, isAddress, parseGwei } from "viem";
import { z } from "zod";

/** The networks of the public interface that are EVM chains. */
export const evmNetworks = ["ETHEREUM", "POL", "BNB"] as const;

const addressSchema = z
  .string()
  .refine((text) => isAddress(text), "must be an address with a correct checksum")
  .transform((text) => getAddress(text));

/** A fee for a unit of gas: `30` or `1.5`, in gwei. */
const gweiSchema = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,9})?$/, "must be gwei as decimal text")
  .transform((text) => parseGwei(text));

/** Of a currency of ours. */
const currencySchema = z
  .string()
  .refine((code) => findCurrency(code)?.kind === "crypto", "must be a crypto currency's code");

const count = (min: number, max: number) => z.number().int().min(min).max(max);

/** Where the wallet's key is: a keystore file and the file of its password, or a remote signer. */
const signerSchema = z.union([
  z
    .strictObject({ keystore_file: z.string(), password_file: z.string() })
    .transform(({ keystore_file: keystoreFile, password_file: passwordFile }) => ({
      ...{ kind: "keystore" as const, keystoreFile, passwordFile },
    })),
  z
    .strictObject({ web3signer_url: z.url({ protocol: /^https?$/ }) })
    .transform(({ web3signer_url: url }) => ({ kind: "web3signer" as const, url })),
]);

/** Transactions of a wallet that may be unmined: nodes drop more (geth keeps 16 of an account). */
const unminedMax = 16;

const chainSchema = z.strictObject({
  /** The rail's name in `RAIL_ROUTES`. */
  rail: z.string().regex(/^[a-z0-9-]{1,64}$/),
  network: z.enum(evmNetworks),
  chain_id: count(1, Number.MAX_SAFE_INTEGER),
  /** May hold keys: never logged. */
  rpc_urls: z.array(z.url({ protocol: /^https?$/ })).min(1),
  /** How many nodes have to show the same before money moves; all of them by default. */
  agreeing: count(1, 100).optional(),
  /** A block with so many blocks, itself included, is final; or what the chain calls final. */
  finality: z.union([z.literal("finalized"), count(1, 10_000)]),
  wallet: addressSchema,
  signer: signerSchema,
  /** The currency of the chain's own coin, where it is paid out. */
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
  /** Of a transfer of the coin: enough for a wallet that is a contract. */
  native_gas_limit: count(21_000, 10_000_000).default(60_000),
  max_fee_gwei: gweiSchema,
  tip_gwei: gweiSchema,
  bump_after_seconds: count(1, 86_400).default(60),
  /** Settled transfers are looked at until so many blocks are on top. */
  watch_blocks: count(0, 100_000).default(64),
  unmined_max: count(1, unminedMax).default(unminedMax),
  /** The wallet's next nonce, where an operator lets it go on after nonces were used outside. */
  nonce_from: count(0, Number.MAX_SAFE_INTEGER).default(0),
  poll_ms: count(50, 60_000).default(2_000),
});

/** One chain and the wallet that pays on it. */
export type EvmChainSettings = z.output<typeof chainSchema>;

const fileSchema = z.array(chainSchema).superRefine((chains, context) => {
  const unique = (values: readonly string[], what: string) => {
    if (new Set(values).size !== values.length) {
      context.addIssue({ code: "custom", message: `${what} must differ` });
    }
  };
  unique(
    chains.map(({ rail }) => rail),
    "rails",
  );
  unique(
    chains.map(({ chain_id: id, wallet }) => `${id}:${wallet}`),
    "wallets of a chain",
  );
  for (const { rpc_urls: urls, agreeing = 1 } of chains) {
    if (agreeing > urls.length) {
      context.addIssue({ code: "custom", message: "agreeing: there are fewer rpc_urls" });
    }
  }
});

/** Reads the chains that payouts are made on; says what is wrong without showing a value. */
export function readEvmChains(text: string): readonly EvmChainSettings[] {
  const json = parsedJson(text);
  if (json === undefined) throw new SettingsError("settings: EVM_CHAINS: must be JSON");
  const result = fileSchema.safeParse(json);
  if (result.success) return result.data;
  const problems = result.error.issues.map(
    ({ path, message }) => `${path.map(String).join(".")}: ${message}`,
  );
  throw new SettingsError(`settings: EVM_CHAINS: ${problems.join("; ")}`);
}

/** What a text is as JSON; `undefined`: it is none. The error would show a part of the text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
