import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { type SolanaFault, startNodeFront } from "@disburse/testkit/solana/node-front.ts";
import { createSvmChain, testAddress } from "@disburse/testkit/solana/svm-chain.ts";
import { createTokenIssuer, token2022, tokenAccount } from "@disburse/testkit/solana/tokens.ts";
import {
  type Address,
  createKeyPairFromPrivateKeyBytes,
  getAddressFromPublicKey,
} from "@solana/kit";
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token";
import { Keystore } from "ox";
import type { TransferEvent, WalletState } from "./dispatcher.ts";
import { indexes, openTransferStore } from "./documents.ts";
import { openSolanaRail, type SolanaRail } from "./open.ts";
import { readTokenAccount } from "./rules/token-data.ts";
import { readSolanaChains } from "./settings.ts";

/** The wallet's private key. It has no value on any real chain. */
export const seed: `0x${string}` = `0x${"5e".repeat(32)}`;
/** The balance of a wallet's SOL: a hundred. */
const coins = 100_000_000_000n;

/** Opens a chain with tokens, two nodes and rails that the test runs step by step. */
export async function openTestSolana(name: string, nodes = 2) {
  const folder = mkdtempSync(join(tmpdir(), `disburse-${name}-`));
  const database = await migratedDatabase(name, [baseline(1, indexes)]);
  const store = openTransferStore(database);
  const keys = await createKeyPairFromPrivateKeyBytes(Buffer.from(seed.slice(2), "hex"));
  const wallet = await getAddressFromPublicKey(keys.publicKey);
  const chain = createSvmChain();
  chain.airdrop(wallet, coins);
  const issuer = await createTokenIssuer(chain);
  const usdc = await issuer.createToken(wallet, {});
  const pyusd = await issuer.createToken(wallet, { program: token2022 });
  chain.mine(5);
  const fronts = await Promise.all(Array.from({ length: nodes }, () => startNodeFront(chain)));
  const signer = writeKeystore(folder);
  const events: TransferEvent[] = [];
  let frozen: readonly string[] = [];
  let offsetMs = 0;
  let keyCount = 0;
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const settingsOf = (change: object = {}) => {
    const settings = {
      rail: "solana",
      genesis_hash: chain.genesisHash,
      rpc_urls: fronts.map(({ url }) => url),
      wallet,
      signer,
      native: "SOL",
      tokens: { USDC_SOL: { mint: usdc }, PYUSD_SOL: { mint: pyusd } },
      priority_fee: { min: "1000", max: "100000" },
      poll_ms: 50,
      ...change,
    };
    const [read] = readSolanaChains(JSON.stringify([settings]));
    if (read === undefined) throw new Error("no settings");
    return read;
  };
  const metrics = {
    seen: (_rail: string, { snapshot }: WalletState) => {
      frozen = snapshot.frozen;
    },
    nodeFailed: () => undefined,
    happened: (_rail: string, event: TransferEvent) => void events.push(event),
  };
  const open = (change: object = {}, isPaused = async () => false): Promise<SolanaRail> =>
    openSolanaRail(settingsOf(change), { database, clock, log: silentLog, isPaused, metrics });
  const stateOf = async (key: string) => (await store.findOne({ _id: key }))?.state;
  const amountOf = (key: string) => 1_000_000n + BigInt(key.slice("po_".length));
  const recipientOf = (key: string) => testAddress(Number(key.slice("po_".length)));
  const balanceOf = async (
    owner: Address,
    mint = usdc,
    program: Address = TOKEN_PROGRAM_ADDRESS,
  ) => {
    const account = chain
      .at(chain.tip().height)
      .getAccount(await tokenAccount(mint, owner, program));
    return account.exists ? (readTokenAccount(new Uint8Array(account.data))?.amount ?? 0n) : 0n;
  };
  return {
    ...{ chain, issuer, usdc, pyusd, wallet, fronts, store, events, open, settingsOf, database },
    ...{ clock, stateOf, amountOf, recipientOf, balanceOf },
    /** Currencies that the issuer has frozen our wallet for, as of the last run. */
    frozen: () => frozen,
    after: (ms: number): void => {
      offsetMs += ms;
    },
    set: (node: number, fault: SolanaFault): void => fronts[node]?.set(fault),
    /** Submits transfers, each with its own amount and recipient. */
    pay: async ({ rail }: SolanaRail, count: number, change: object = {}): Promise<string[]> => {
      const paid = Array.from({ length: count }, () => `po_${++keyCount}`);
      for (const key of paid) await rail.submit(key, transferOf(key, change));
      return paid;
    },
    transferOf,
    /** Runs the rail, then mines a block, until all transfers have one of these states. */
    runUntil: async ({ run }: SolanaRail, paid: readonly string[], ...wanted: string[]) => {
      for (let round = 0; round < 60; round += 1) {
        await run().catch(() => undefined);
        const states = await Promise.all(paid.map(stateOf));
        if (states.every((state) => wanted.includes(state ?? ""))) return;
        offsetMs += 2_000;
        chain.mine();
      }
      throw new Error(`not in time: ${(await Promise.all(paid.map(stateOf))).join(", ")}`);
    },
    /** Returns a transfer's newest transaction. */
    newestOf: async (key: string) => {
      const last = (await store.findOne({ _id: key }))?.attempts.at(-1);
      if (last === undefined) throw new Error("the transfer has no transaction");
      return last;
    },
    /**
     * Returns transfers whose state contradicts the chain: paid twice, or paid without being
     * settled.
     */
    contradictions: async (paid: readonly string[]): Promise<string[]> => {
      const found = paid.map(async (key) => {
        const times = (await balanceOf(recipientOf(key))) / amountOf(key);
        const wanted = (await stateOf(key)) === "settled" ? 1n : 0n;
        return times === wanted ? [] : [`${key} was paid ${times} times, not ${wanted}`];
      });
      return (await Promise.all(found)).flat();
    },
    stop: async (): Promise<void> => {
      await Promise.all(fronts.map((each) => each.stop()));
      await database.db.dropDatabase();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };

  function transferOf(key: string, change: object = {}) {
    return {
      ...instruction,
      currency: "USDC_SOL",
      transferMethod: "CRYPTO",
      network: "SOLANA",
      amount: amountOf(key),
      accountNumber: recipientOf(key) as string,
      ...change,
    };
  }
}

export type TestSolana = Awaited<ReturnType<typeof openTestSolana>>;

function writeKeystore(folder: string) {
  const [keystoreFile, passwordFile] = [join(folder, "wallet.json"), join(folder, "password")];
  // Weak on purpose: the key is public.
  const [key, options] = Keystore.scrypt({ password: "secret", n: 2 });
  writeFileSync(keystoreFile, JSON.stringify(Keystore.encrypt(seed, key, options)));
  writeFileSync(passwordFile, "secret");
  return { keystore_file: keystoreFile, password_file: passwordFile };
}
