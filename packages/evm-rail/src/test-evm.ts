import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTransferStore, type TransferDocument } from "@disburse/chain-rail/documents.ts";
import { indexes } from "@disburse/chain-rail/indexes.ts";
import type { TransferEvent } from "@disburse/chain-rail/work.ts";
import { silentLog } from "@disburse/chassis/log.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { instruction } from "@disburse/rail/test-contract.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { anvilPath, startAnvil, wallet, walletKey } from "@disburse/testkit/evm/anvil.ts";
import { startNodeProxy } from "@disburse/testkit/evm/node-proxy.ts";
import { Keystore } from "ox";
import { type Address, getAddress, type Hex, pad, toHex } from "viem";
import { tokenAbi } from "./node.ts";
import { type EvmRail, openEvmRail } from "./open.ts";
import { readEvmChains } from "./settings.ts";

export type RunningRail = EvmRail & ReturnType<EvmRail["start"]>;

/** The number of blocks after which a block is final. */
export const finality = 3;
/** A million tokens, in the token's units. */
const supply = 10n ** 12n;

/** Opens rails on anvil behind proxies. Reads payments from the chain itself. */
export async function openTestEvm(name: string, nodes = 2) {
  const folder = mkdtempSync(join(tmpdir(), `disburse-${name}-`));
  const database = await migratedDatabase(name, [baseline(1, indexes)]);
  const anvil = await startAnvil(anvilPath() ?? "");
  const token = await anvil.deployToken(6, supply);
  const proxies = await Promise.all(Array.from({ length: nodes }, () => startNodeProxy(anvil.url)));
  const signer = writeKeystore(folder);
  const store = openTransferStore(database);
  const events: TransferEvent[] = [];
  let offsetMs = 0;
  let keyCount = 0;
  const running: RunningRail[] = [];
  const clock = { now: () => new Date(Date.now() + offsetMs) };
  const start = async (change: object = {}): Promise<RunningRail> => {
    const settings = {
      ...{ rail: "anvil", network: "ETHEREUM", chain_id: 31_337, finality },
      ...{ rpc_urls: proxies.map(({ url }) => url), wallet: wallet.address, native: "ETH" },
      ...{ poll_ms: 50, signer, tokens: { USDC_ETH: { contract: token, decimals: 6 } } },
      ...{ max_fee_gwei: "100", tip_gwei: "1", ...change },
    };
    const [chain] = readEvmChains(JSON.stringify([settings]));
    if (chain === undefined) throw new Error("no chain");
    const metrics = {
      ...{ seen: () => undefined, nodeFailed: () => undefined },
      happened: (_rail: string, event: TransferEvent) => void events.push(event),
    };
    const deps = { database, clock, log: silentLog, isPaused: async () => false, metrics };
    const opened = await openEvmRail(chain, deps);
    const rail = { ...opened, ...opened.start() };
    running.push(rail);
    await until(() => rail.rail.available());
    return rail;
  };
  const transfersOf = (keys: readonly string[]): Promise<TransferDocument[]> =>
    store.transfers.find({ _id: { $in: [...keys] } }).toArray();
  const states = async (keys: readonly string[]) =>
    new Map((await transfersOf(keys)).map(({ _id, state }) => [_id, state]));
  const mine = (blocks = 1) => anvil.client.mine({ blocks });
  const areAll = async (keys: readonly string[], wanted: readonly string[]) => {
    const found = await states(keys);
    return keys.every((key) => wanted.includes(found.get(key) ?? ""));
  };
  return {
    ...{ anvil, token, proxies, store, events, start, states, mine, transfersOf },
    after: (ms: number): void => {
      offsetMs += ms;
    },
    /** Submits transfers, each with its own amount and recipient. */
    pay: async ({ rail }: RunningRail, count: number, change: object = {}): Promise<string[]> => {
      const keys = Array.from({ length: count }, () => `po_${++keyCount}`);
      await Promise.all(
        keys.map((key) =>
          rail.submit(key, {
            ...{ ...instruction, currency: "USDC_ETH", transferMethod: "CRYPTO" },
            ...{ network: "ETHEREUM", amount: amountOf(key), accountNumber: recipientOf(key) },
            ...change,
          }),
        ),
      );
      return keys;
    },
    /** Waits until all transfers have one of these states. */
    untilAll: (keys: readonly string[], ...wanted: string[]) => until(() => areAll(keys, wanted)),
    /** Waits until the node has received a transaction for each transfer. */
    untilSent: (keys: readonly string[]) =>
      until(async () => {
        const found = await transfersOf(keys);
        const hashes = found.map(newestOf);
        await Promise.all(hashes.map((hash) => anvil.client.getTransaction({ hash })));
        return found.every(({ nonce }) => nonce !== undefined);
      }),
    /** Mines one block at a time until all transfers have one of these states. */
    mineUntil: (keys: readonly string[], ...wanted: string[]) =>
      until(async () => {
        await mine();
        return areAll(keys, wanted);
      }),
    /**
     * Returns transfers whose state contradicts the chain: paid twice, or paid without being
     * settled.
     */
    contradictions: async (keys: readonly string[]): Promise<string[]> => {
      const logs = await anvil.client.getContractEvents({
        ...{ address: token, abi: tokenAbi, eventName: "Transfer", fromBlock: 0n },
        args: { from: wallet.address },
      });
      const settled = (await transfersOf(keys)).filter(({ state }) => state === "settled");
      const sum = settled.reduce((total, { _id }) => total + amountOf(_id), 0n);
      const ours = new Map(keys.map((key) => [recipientOf(key), key]));
      const paid = logs.flatMap(({ args }) => {
        const key = ours.get(args.to ?? "0x");
        return key === undefined ? [] : [{ key, value: args.value ?? 0n }];
      });
      const total = paid.reduce((all, { value }) => all + value, 0n);
      const times = Map.groupBy(paid, ({ key }) => key);
      return [
        ...keys.flatMap((key) => {
          const count = times.get(key)?.length ?? 0;
          const wanted = settled.some(({ _id }) => _id === key) ? 1 : 0;
          return count === wanted ? [] : [`${key} was paid ${count} times, not ${wanted}`];
        }),
        ...(total === sum ? [] : [`the chain paid ${total}, and ${sum} settled`]),
      ];
    },
    stop: async (): Promise<void> => {
      await Promise.all(running.map((each) => each.stop()));
      await Promise.all(proxies.map((each) => each.stop()));
      await anvil.stop();
      await database.db.dropDatabase();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type TestEvm = Awaited<ReturnType<typeof openTestEvm>>;

/** Gives each payout its own amount and recipient. */
const amountOf = (key: string): bigint => 1_000_000n + BigInt(key.slice("po_".length));
const recipientOf = (key: string): Address =>
  getAddress(pad(toHex(0xa0000 + Number(key.slice("po_".length))), { size: 20 }));

function writeKeystore(folder: string) {
  const [keystoreFile, passwordFile] = [join(folder, "wallet.json"), join(folder, "password")];
  // Weak on purpose: the key is public.
  const [key, options] = Keystore.scrypt({ password: "secret", n: 2 });
  writeFileSync(keystoreFile, JSON.stringify(Keystore.encrypt(walletKey, key, options)));
  writeFileSync(passwordFile, "secret");
  return { keystore_file: keystoreFile, password_file: passwordFile };
}

/** Waits up to a minute until a condition holds. */
export async function until(isSo: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const latest = Date.now() + timeoutMs;
  while (!(await isSo().catch(() => false))) {
    if (Date.now() > latest) throw new Error("not in time");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits until the dispatcher has run at least twice. */
export const runs = () => new Promise((resolve) => setTimeout(resolve, 1_200));

/** Returns the hash of a transfer's newest variant. */
export function newestOf({ attempts }: TransferDocument): Hex {
  return attempts.at(-1)?.id as Hex;
}
