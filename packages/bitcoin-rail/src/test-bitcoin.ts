import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { type Bitcoind, startBitcoind } from "@disburse/testkit/bitcoin/bitcoind.ts";
import { startNodeFront } from "@disburse/testkit/bitcoin/node-front.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { hex } from "@scure/base";
import { Address, NETWORK, OutScript, p2pkh, p2tr, p2wpkh } from "@scure/btc-signer";
import { Keystore } from "ox";
import { openBitcoinChain } from "./chain.ts";
import { createDispatcher, type DispatchDeps } from "./dispatcher.ts";
import { openBitcoinStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { type BitcoinSettings, readBitcoinRails } from "./settings.ts";
import { openSigner } from "./signer.ts";
import { acceptTransfer } from "./store.ts";
import { readWalletKey, scriptOf } from "./wallet-key.ts";
import type { BatchEvent } from "./work.ts";

let keys = 0;
/** Returns a key that no test has used, and main-net addresses of it. */
export function freshKeys() {
  keys += 1;
  const secret = Uint8Array.from({ length: 32 }, (_each, at) =>
    at < 28 ? 7 : (keys >> (8 * (31 - at))) & 255,
  );
  const publicKey = secp256k1.getPublicKey(secret);
  return {
    secret,
    publicKey,
    segwit: p2wpkh(publicKey, NETWORK).address ?? "",
    legacy: p2pkh(publicKey, NETWORK).address ?? "",
    taproot: p2tr(publicKey.slice(1), undefined, NETWORK).address ?? "",
  };
}

export type TestBitcoin = Awaited<ReturnType<typeof openTestBitcoin>>;

/**
 * Opens wallets of a real node behind two fronts, with their store and a clock that the test sets.
 * With `hasOther`, the second front is that of another node, which gets blocks only by `follow`.
 */
export async function openTestBitcoin(command: readonly string[], hasOther = false) {
  const node = await startBitcoind(command);
  const other = hasOther ? await startBitcoind(command, node) : node;
  const nodes = [node, other] as const;
  const fronts = [await startNodeFront(node), await startNodeFront(other)] as const;
  const folder = mkdtempSync(join(tmpdir(), "bitcoin-rail-"));
  const database = await migratedDatabase("bitcoin", [
    baseline(1, { ...auditIndexes, ...proposalIndexes, ...indexes }),
  ]);
  const store = openBitcoinStore(database);
  let now = new Date("2026-01-01T00:00:00Z");
  const clock = { now: () => now };
  let wallets = 0;
  let payouts = 0;
  return {
    ...{ node, other, fronts, database, store, clock },
    after: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    /** Opens another wallet with a number of coins. */
    wallet: async (coins: readonly number[], change: Partial<BitcoinSettings> = {}) => {
      wallets += 1;
      const { settings, key, secret } = await settingsOf(
        nodes,
        fronts,
        folder,
        `w${wallets}`,
        change,
      );
      for (const amount of coins) await node.rpc("sendtoaddress", [key.address, amount]);
      await node.mine(2);
      await other.follow(node);
      const events: BatchEvent[] = [];
      const deps = { log: silentLog, onNodeFailed: () => undefined };
      const chain = openBitcoinChain(settings, key, deps);
      const signer = await openSigner(settings.signer, key);
      const given = {
        ...{ chain, store, key, signer, clock, log: silentLog },
        fees: { min: 1n, max: BigInt(settings.max_fee_rate), bumpAfterMs: 60_000 },
        batches: { afterMs: 0, payoutsMax: 100 },
        ...{ watchBlocks: settings.watch_blocks, coinsWanted: 1 },
        knownTransactions: settings.known_transactions,
        isPaused: async () => false,
        onEvent: (event: BatchEvent) => void events.push(event),
      } satisfies DispatchDeps;
      const dispatcher = (other: Partial<DispatchDeps> = {}) =>
        createDispatcher({ ...given, ...other });
      return {
        ...{ settings, key, secret, chain, events, dispatcher },
        /** Has the rail accept a payout, to a new payee by default. */
        accept: async (amount = 100_000n, to = freshKeys().segwit) => {
          payouts += 1;
          const payout = { key: `po_${payouts}`, to, amount };
          await acceptTransfer(store, payout.key, chain.wallet, payout, now);
          return payout;
        },
        /** Returns the wallet's only batch. */
        batch: async () => {
          const [batch, ...others] = await store.batches.find({ wallet: chain.wallet }).toArray();
          if (batch === undefined || others.length > 0)
            throw new Error(`${others.length} other batches`);
          return batch;
        },
      };
    },
    /** Returns the satoshi that mined transactions paid to each address. */
    received: async (...tos: readonly string[]): Promise<bigint[]> => {
      const scripts = tos.map(scriptHexOf);
      const found = scripts.map((script) => ({ desc: `raw(${script})` }));
      const scan = await node.rpc<{ unspents: { amount: number; scriptPubKey: string }[] }>(
        "scantxoutset",
        ["start", found],
      );
      return scripts.map((script) => {
        const paid = scan.unspents.filter(({ scriptPubKey }) => scriptPubKey === script);
        return paid.reduce((sum, { amount }) => sum + BigInt(Math.round(amount * 1e8)), 0n);
      });
    },
    stop: async () => {
      await Promise.all(fronts.map((each) => each.stop()));
      await Promise.all([...new Set(nodes)].map((each) => each.stop()));
      await database.db.dropDatabase();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the wallet's keystore, has the nodes watch it, and returns the rail's settings. */
async function settingsOf(
  servers: readonly [Bitcoind, Bitcoind],
  fronts: readonly { readonly url: string }[],
  folder: string,
  name: string,
  change: Partial<BitcoinSettings>,
) {
  const { secret, publicKey } = freshKeys();
  const plain = `wpkh([d34db33f/84h/1h/0h/0/0]${hex.encode(publicKey)})`;
  const { checksum } = await servers[0].rpc<{ checksum: string }>("getdescriptorinfo", [plain]);
  const descriptor = `${plain}#${checksum}`;
  for (const node of new Set(servers)) await node.watch(name, descriptor);
  const [keystoreFile, passwordFile] = [join(folder, `${name}.json`), join(folder, "password")];
  // Intentionally weak: the test is not about its cost.
  const [derived, options] = Keystore.scrypt({ password: "secret", n: 2 });
  const keystore = Keystore.encrypt(`0x${hex.encode(secret)}`, derived, options);
  writeFileSync(keystoreFile, JSON.stringify(keystore));
  writeFileSync(passwordFile, "secret");
  const nodes = servers.map(({ cookieFile }, at) => ({
    url: `${fronts[at]?.url}/wallet/${name}`,
    credentials_file: cookieFile,
  }));
  const [settings] = readBitcoinRails(
    JSON.stringify([
      {
        ...{ rail: "regtest", chain: "regtest", nodes, descriptor, finality: 2, poll_ms: 50 },
        signer: { keystore_file: keystoreFile, password_file: passwordFile },
        ...{ max_fee_rate: 50, batch_after_seconds: 0, watch_blocks: 4 },
        ...change,
      },
    ]),
  );
  if (settings === undefined) throw new Error("no rail");
  const key = readWalletKey(descriptor, "regtest");
  if (key === undefined) throw new Error("the descriptor is not valid");
  return { settings, key, secret };
}

/** A payout on Bitcoin. */
export function transferTo(accountNumber: string, amount = 100_000n) {
  const paid = { currency: "BTC", transferMethod: "CRYPTO", network: "BTC" };
  return { ...instruction, ...paid, amount, accountNumber };
}

/** Returns the output script of a main-net address. */
export function scriptHexOf(address: string): string {
  return hex.encode(scriptOf(address) ?? new Uint8Array());
}

/** Returns the main-net address of an output script. */
export function mainNetAddress(script: string): string {
  return Address(NETWORK).encode(OutScript.decode(hex.decode(script)));
}
