import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startNodeFront } from "@disburse/testkit/solana/node-front.ts";
import { createSvmChain, type SvmTransaction } from "@disburse/testkit/solana/svm-chain.ts";
import { createTokenIssuer, tokenAccount } from "@disburse/testkit/solana/tokens.ts";
import {
  type Address,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
} from "@solana/kit";
import { getTokenDecoder, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import { Keystore } from "ox";

/** A running Solana runtime behind two stand-ins of nodes, and a wallet with ample funds. */
export type Solana = Awaited<ReturnType<typeof startSolana>>;

/** The wallet's private key. It has no value on any real chain. */
const seed = `0x${"5e".repeat(32)}` as const;
/** A thousand SOL, in lamports. */
const coins = 1_000_000_000_000n;
/** One million in token units. */
const supply = 10n ** 12n;

/** Starts the chain with a token, and writes the wallet's keystore into `folder`. */
export async function startSolana(folder: string) {
  const chain = createSvmChain();
  const keys = await createKeyPairFromPrivateKeyBytes(Buffer.from(seed.slice(2), "hex"));
  const wallet = await getAddressFromPublicKey(keys.publicKey);
  chain.airdrop(wallet, coins);
  const issuer = await createTokenIssuer(chain);
  const mint = await issuer.createToken(wallet, { supply });
  // The first blocks are final before the rail asks for a block hash.
  chain.mine(10);
  const fronts = [await startNodeFront(chain), await startNodeFront(chain)];
  const [keystoreFile, passwordFile] = [join(folder, "solana.json"), join(folder, "solana-word")];
  // Intentionally weak: this key is public.
  const [key, options] = Keystore.scrypt({ password: "demo", n: 2 });
  const keystore = Keystore.encrypt(seed, key, options);
  writeFileSync(keystoreFile, JSON.stringify(keystore), { mode: 0o600 });
  writeFileSync(passwordFile, "demo", { mode: 0o600 });
  let mining: NodeJS.Timeout | undefined;
  const balanceOf = async (owner: Address): Promise<bigint> => {
    const address = await tokenAccount(mint, owner, TOKEN_PROGRAM_ADDRESS);
    const account = chain.at(chain.tip().height).getAccount(address);
    return account.exists ? getTokenDecoder().decode(account.data).amount : 0n;
  };
  return {
    chain,
    mint,
    wallet,
    balanceOf,
    urls: fronts.map(({ url }) => url),
    /** Freezes a wallet's account of the token, as its issuer may. */
    freeze: (owner: Address) => issuer.freeze(mint, owner),
    /** Makes blocks from now on. `undefined` stops them. */
    makeBlocks: (everyMs: number | undefined): void => {
      clearInterval(mining);
      mining = everyMs === undefined ? undefined : setInterval(() => chain.mine(), everyMs);
    },
    /** Returns a transaction with its block. */
    find: (signature: string): (SvmTransaction & { readonly slot: number }) | undefined => {
      for (const { slot, transactions } of chain.blocks) {
        const found = transactions.find((each) => each.signature === signature);
        if (found !== undefined) return { ...found, slot };
      }
      return undefined;
    },
    /** The amount that has left the wallet, in token units. */
    sent: async (): Promise<bigint> => supply - (await balanceOf(wallet)),
    settings: {
      rail: "svm",
      genesis_hash: chain.genesisHash,
      rpc_urls: fronts.map(({ url }) => url),
      wallet,
      poll_ms: 200,
      signer: { keystore_file: keystoreFile, password_file: passwordFile },
      native: "SOL",
      tokens: { USDC_SOL: { mint } },
      priority_fee: { min: "1000", max: "1000000" },
    },
    stop: async (): Promise<void> => {
      clearInterval(mining);
      await Promise.all(fronts.map((front) => front.stop()));
    },
  };
}
