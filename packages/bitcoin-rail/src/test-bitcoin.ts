import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLog } from "@disburse/chassis/log.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { type Bitcoind, startBitcoind } from "@disburse/testkit/bitcoin/bitcoind.ts";
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
import { readWalletKey, scriptOf } from "./wallet-key.ts";
import type { BatchEvent } from "./work.ts";

/** A change of a node's replies: `undefined` passes the real result on. */
export type Lie = (method: string, params: readonly unknown[], result: unknown) => unknown;

/** A front of the node that can lie or be away, with a URL of its own. */
export async function openFront(node: Pick<Bitcoind, "url">) {
  const knobs: { lie: Lie | undefined; isAway: boolean } = { lie: undefined, isAway: false };
  const server = createServer(async (request, response) => {
    if (knobs.isAway) return void request.destroy();
    const body = await textOf(request);
    const headers = { authorization: request.headers.authorization ?? "" };
    const real = await fetch(`${node.url}${request.url}`, { method: "POST", headers, body });
    const text = await real.text();
    const { method, params } = JSON.parse(body) as { method: string; params: unknown[] };
    const lie = knobs.lie?.(method, params, JSON.parse(text).result);
    response.statusCode = lie === undefined ? real.status : 200;
    response.end(lie === undefined ? text : JSON.stringify({ result: lie, error: null }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    knobs,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

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

/** Opens a wallet of a real node behind two fronts, with its store and a clock that the test sets. */
export async function openTestBitcoin(command: readonly string[]) {
  const node = await startBitcoind(command);
  const fronts = [await openFront(node), await openFront(node)] as const;
  const folder = mkdtempSync(join(tmpdir(), "bitcoin-rail-"));
  const database = await migratedDatabase("bitcoin", [
    baseline(1, { ...auditIndexes, ...proposalIndexes, ...indexes }),
  ]);
  const store = openBitcoinStore(database);
  let now = new Date("2026-01-01T00:00:00Z");
  const clock = { now: () => now };
  let wallets = 0;
  return {
    ...{ node, fronts, database, store, clock },
    after: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    /** Opens another wallet with a number of coins. */
    wallet: async (coins: readonly number[], change: Partial<BitcoinSettings> = {}) => {
      wallets += 1;
      const { settings, key, secret } = await settingsOf(
        node,
        fronts,
        folder,
        `w${wallets}`,
        change,
      );
      for (const amount of coins) await node.rpc("sendtoaddress", [key.address, amount]);
      await node.mine(2);
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
      return { settings, key, secret, chain, events, dispatcher };
    },
    stop: async () => {
      await Promise.all(fronts.map((each) => each.stop()));
      await node.stop();
      await database.db.dropDatabase();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes the wallet's keystore, has the node watch it, and returns the rail's settings. */
async function settingsOf(
  node: Bitcoind,
  fronts: readonly { readonly url: string }[],
  folder: string,
  name: string,
  change: Partial<BitcoinSettings>,
) {
  const { secret, publicKey } = freshKeys();
  const plain = `wpkh([d34db33f/84h/1h/0h/0/0]${hex.encode(publicKey)})`;
  const { checksum } = await node.rpc<{ checksum: string }>("getdescriptorinfo", [plain]);
  const descriptor = `${plain}#${checksum}`;
  await node.watch(name, descriptor);
  const [keystoreFile, passwordFile] = [join(folder, `${name}.json`), join(folder, "password")];
  // Intentionally weak: the test is not about its cost.
  const [derived, options] = Keystore.scrypt({ password: "secret", n: 2 });
  const keystore = Keystore.encrypt(`0x${hex.encode(secret)}`, derived, options);
  writeFileSync(keystoreFile, JSON.stringify(keystore));
  writeFileSync(passwordFile, "secret");
  const nodes = fronts.map(({ url }) => ({
    url: `${url}/wallet/${name}`,
    credentials_file: node.cookieFile,
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
