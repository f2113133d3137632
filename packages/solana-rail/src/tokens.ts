import { agreedOn } from "@disburse/chain-rail/rules/finality.ts";
import type { CallAll } from "@disburse/chain-rail/wallet/node-calls.ts";
import { SettingsError } from "@disburse/chassis/settings.ts";
import { currencyOf } from "@disburse/kernel/currency.ts";
import { type Address, address } from "@solana/kit";
import { findAssociatedTokenPda } from "@solana-program/token";
import type { SolanaNode } from "./node.ts";
import { tokenPrograms } from "./rules/clearance.ts";
import { readMint } from "./rules/token-data.ts";
import { type SolanaSettings, setting } from "./settings.ts";

/** A token as the nodes report it. */
export type Token = {
  readonly mint: Address;
  /** The program that owns the mint. */
  readonly program: Address;
  readonly decimals: number;
  /** The token account of the paying wallet. */
  readonly own: Address;
};

const coinDecimals = 9;

export type Tokens = ReturnType<typeof createTokens>;

/** Creates the table of the tokens that the settings name. `read` fills it from the nodes. */
export function createTokens({ tokens, native, wallet, agreeing, rpc_urls }: SolanaSettings) {
  const known = new Map<string, Token>();
  const mints = new Map(Object.entries(tokens).map(([code, { mint }]) => [code, mint]));
  /** `undefined` for SOL. */
  const of = (currency: string): Token | undefined => {
    if (currency === native) return undefined;
    const token = known.get(currency);
    if (token === undefined) throw new Error(`the rail does not support ${currency}`);
    return token;
  };
  return {
    known: known as ReadonlyMap<string, Token>,
    of,
    has: (currency: string): boolean => currency === native || mints.has(currency),
    isMint: (text: string): boolean => [...mints.values()].some((mint) => mint === text),
    /** Converts minor units to units of the chain. */
    unitsOf: (amount: bigint, currency: string): bigint => {
      const decimals = of(currency)?.decimals ?? coinDecimals;
      return amount * 10n ** BigInt(decimals - currencyOf(currency).decimals);
    },
    read: async (callAll: CallAll<SolanaNode>): Promise<void> => {
      for (const [currency, mint] of mints) {
        const found = await callAll((node) => readToken(node, mint));
        const agreed = agreedOn(
          found.map((each) => each && JSON.stringify(each)),
          agreeing ?? rpc_urls.length,
        );
        if (agreed === undefined) throw new Error(`too few nodes agree on the mint of ${currency}`);
        const token = checkedToken(currency, JSON.parse(agreed));
        const own = await tokenAccountOf({ mint, ...token }, wallet);
        known.set(currency, { mint, ...token, own });
      }
    },
  };
}

/** Returns the associated token account of a wallet. */
export async function tokenAccountOf(
  { mint, program: tokenProgram }: Pick<Token, "mint" | "program">,
  wallet: string,
): Promise<Address> {
  const [found] = await findAssociatedTokenPda({ mint, owner: address(wallet), tokenProgram });
  return found;
}

type ReadToken = { readonly program: string; readonly decimals: number };

/** A node without the mint gives no program. */
async function readToken(node: SolanaNode, mint: Address): Promise<ReadToken> {
  const account = (await node.accounts([mint])).get(mint);
  const decimals = account && readMint(account.data, 0n)?.decimals;
  return { program: decimals === undefined ? "" : (account?.owner ?? ""), decimals: decimals ?? 0 };
}

function checkedToken(currency: string, { program, decimals }: ReadToken) {
  const problem = (text: string) =>
    new SettingsError(`${setting}: tokens: ${currency}: mint: ${text}`);
  if (!tokenPrograms.includes(program)) throw problem("is not a token's mint");
  if (decimals < currencyOf(currency).decimals)
    throw problem("has fewer decimals than the currency");
  return { program: address(program), decimals };
}
