import { silentLog } from "@disburse/chassis/log.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { auditIndexes, proposalIndexes } from "@disburse/chassis/mongo/service-indexes.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { createDispatcher, type DispatchDeps } from "./dispatcher.ts";
import { openTransferStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { acceptTransfer } from "./store.ts";
import { createTestChain } from "./test-chain.ts";
import type { TransferEvent } from "./work.ts";

/** The number of blocks after which a block is final on the test chain. */
export const finality = 3;

/** Opens a wallet on a chain in memory, with its store and a clock that the test sets. */
export async function openTestWallet(name: string) {
  const database = await migratedDatabase(name, [
    baseline(1, { ...auditIndexes, ...proposalIndexes, ...indexes }),
  ]);
  const store = openTransferStore(database);
  let now = new Date("2026-01-01T00:00:00Z");
  let world = createTestChain(finality);
  let events: TransferEvent[] = [];
  const clock = { now: () => now };
  const after = (ms: number) => {
    now = new Date(now.getTime() + ms);
  };
  const dispatcher = (change: Partial<DispatchDeps> = {}) =>
    createDispatcher({
      ...{ chain: world.chain, store, clock, log: silentLog },
      fees: { cap: 1_000n, tip: 1n, bumpAfterMs: 60_000 },
      ...{ watchBlocks: 20, unminedMax: 4, nonceFrom: 0 },
      isPaused: async () => false,
      onEvent: (event) => events.push(event),
      ...change,
    });
  return {
    ...{ database, store, clock, after, dispatcher },
    world: () => world,
    events: () => events,
    /** Resets the chain and deletes everything stored. */
    reset: async (): Promise<void> => {
      await store.transfers.deleteMany({});
      await store.wallets.deleteMany({});
      world = createTestChain(finality);
      events = [];
    },
    accept: (key: string, amount = 5n, currency = "USDC_ETH") =>
      acceptTransfer(store, key, world.chain.wallet, { currency, amount, to: key }, now),
    find: async (key: string) => {
      const found = await store.transfers.findOne({ _id: key });
      if (found === null) throw new Error(`there is no ${key}`);
      return found;
    },
    /** Alternately runs the dispatcher and mines a block, `rounds` times. */
    settle: async (runs: ReturnType<typeof dispatcher>, rounds = 12): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        await runs.run(true);
        after(6_000);
        world.mine();
      }
      await runs.run(true);
    },
    close: async (): Promise<void> => {
      await database.db.dropDatabase();
      await database.close();
    },
  };
}

export type TestWallet = Awaited<ReturnType<typeof openTestWallet>>;
