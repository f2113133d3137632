import { silentLog } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { intercepted, type Killed, killedAt } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storeCancel } from "./cancellation.ts";
import type { Chain } from "./chain.ts";
import { createDispatcher } from "./dispatcher.ts";
import { type CancelEnd, openTransferStore, type TransferStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { acceptTransfer } from "./store.ts";
import { createTestChain } from "./test-chain.ts";

const keys = ["po_1", "po_2", "po_3"];
let database: Database;
let store: TransferStore;
let now = new Date("2026-01-01T00:00:00Z");
let world = createTestChain(2);
/** Sent transactions that no transfer has stored. */
let unstored: string[] = [];

beforeAll(async () => {
  database = await migratedDatabase("crashes", [baseline(1, indexes)]);
  store = openTransferStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  await store.transfers.deleteMany({});
  await store.wallets.deleteMany({});
  begin();
});

/** Resets the chain, which checks that every sent transaction is stored. */
function begin(): void {
  const begun = createTestChain(2);
  unstored = [];
  const send = async (raw: Uint8Array) => {
    const id = new TextDecoder().decode(raw);
    if ((await store.transfers.findOne({ "attempts.id": id })) === null) unstored.push(id);
    await begun.chain.send(raw);
  };
  world = { ...begun, chain: { ...begun.chain, send } };
}

/** Returns a process that is killed before or after an operation and then does nothing more. */
function killable(killed: Killed) {
  const { intercept, isDead, operations } = killedAt(killed);
  const collection = <T extends object>(real: T): T =>
    intercepted(real, ["updateOne", "insertOne"], intercept);
  const chain: Chain = {
    ...world.chain,
    send: (raw) => intercept(() => world.chain.send(raw)),
  };
  const stored = {
    transfers: collection(store.transfers),
    wallets: collection(store.wallets),
  };
  return { store: stored, chain, isDead, operations };
}

const dispatcher = (
  on: { readonly store: TransferStore; readonly chain: Chain },
  isPaused = async () => false,
) =>
  createDispatcher({
    ...{ ...on, clock: { now: () => now }, log: silentLog },
    fees: { cap: 1_000n, tip: 1n, bumpAfterMs: 10_000 },
    ...{ watchBlocks: 2, unminedMax: 2, nonceFrom: 0 },
    isPaused,
    onEvent: () => undefined,
  });

/** Runs transfers with rising fees and a reorganisation, by processes that are killed. */
async function play(
  processes: readonly (() => Promise<void>)[],
  atRound: (round: number) => Promise<unknown> = async () => undefined,
): Promise<void> {
  for (let round = 0; round < 16; round += 1) {
    await atRound(round);
    await Promise.allSettled(processes.map((run) => run()));
    now = new Date(now.getTime() + 6_000);
    world.knobs.baseFee = round === 1 ? 50n : 10n;
    if (round === 5) world.reorganise(1);
    world.mine();
    const isOver = (await store.transfers.countDocuments({ open: { $exists: true } })) === 0;
    if (isOver && round > 5) return;
  }
}

async function expectAllPaidOnce(): Promise<void> {
  expect(world.paid().toSorted()).toEqual(keys);
  expect(unstored).toEqual([]);
  const stored = await store.transfers.find({}).sort({ _id: 1 }).toArray();
  expect(stored.map(({ _id, state }) => [_id, state])).toEqual(keys.map((key) => [key, "settled"]));
  // Every transaction that was sent is stored.
  const ids = stored.flatMap(({ attempts }) => attempts.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
}

const orderTo = (to: string) => ({ currency: "USDC_ETH", amount: 5n, to });

async function acceptAll(): Promise<void> {
  for (const key of keys) {
    await acceptTransfer(store, key, world.chain.wallet, orderTo(key), now);
  }
}

describe("matrix: transfers of a process that is killed", () => {
  const operationsOfOne = 24;
  const kills = Array.from({ length: operationsOfOne }, (_each, at) => at + 1).flatMap((at) => [
    { at, when: "before" } as const,
    { at, when: "after" } as const,
  ]);

  it("are all paid once by the next one, wherever it was killed", async () => {
    let fired = 0;
    for (const killed of kills) {
      await store.transfers.deleteMany({});
      await store.wallets.deleteMany({});
      begin();
      await acceptAll();
      const first = killable(killed);
      const one = dispatcher(first);
      const other = dispatcher({ store, chain: world.chain });
      await play([() => (first.isDead() ? other.run(true) : one.run(true))]);
      if (first.isDead()) fired += 1;
      await expectAllPaidOnce();
    }
    // The last operations of the table may come after everything is settled.
    expect(fired).toBeGreaterThan(operationsOfOne);
  });

  it.each<CancelEnd>(["renew", "reject"])(
    "are paid once or, where their nonce was cancelled, as was decided, %s",
    async (end) => {
      const states = new Set<string>();
      // A kill after one operation equals a kill before the next.
      for (const killed of kills.filter(({ when }) => when === "after")) {
        await store.transfers.deleteMany({});
        await store.wallets.deleteMany({});
        begin();
        await acceptAll();
        const first = killable(killed);
        const one = dispatcher(first);
        const other = dispatcher({ store, chain: world.chain });
        const cancel = { end, person: "ada", operation: "op", at: now };
        const wallet = world.chain.wallet;
        // Its payment has fees that no block accepts then.
        await play([() => (first.isDead() ? other.run(true) : one.run(true))], async (round) => {
          if (round !== 2) return;
          world.knobs.baseFee = 50n;
          await storeCancel(store, { wallet, nonce: 1 }, cancel, 0);
        });
        expect(unstored).toEqual([]);
        const stored = await store.transfers.find({ gap: { $exists: false } }).toArray();
        const settled = stored.filter(({ state }) => state === "settled");
        expect(world.paid().toSorted()).toEqual(settled.map(({ _id }) => _id).toSorted());
        const ended = stored.filter(({ state }) => state === "settled" || state === "cancelled");
        expect(ended).toHaveLength(keys.length);
        for (const { state } of ended) states.add(state);
      }
      expect([...states].toSorted()).toEqual(
        end === "renew" ? ["settled"] : ["cancelled", "settled"],
      );
    },
  );

  it("are refused or paid, where an issuer has blocked a recipient", async () => {
    const failure = { code: "ACCOUNT_BLOCKED" } as const;
    for (const killed of kills.filter(({ when }) => when === "after")) {
      await store.transfers.deleteMany({});
      await store.wallets.deleteMany({});
      begin();
      world.clearances.set("po_2", { kind: "refuse", failure });
      await acceptAll();
      const first = killable(killed);
      const one = dispatcher(first);
      const other = dispatcher({ store, chain: world.chain });
      await play([() => (first.isDead() ? other.run(true) : one.run(true))]);
      expect(unstored).toEqual([]);
      expect(world.paid().toSorted()).toEqual(["po_1", "po_3"]);
      const refused = await store.transfers.findOne({ _id: "po_2" });
      expect(refused).toMatchObject({ state: "withdrawn", refused: failure.code, attempts: [] });
    }
  });

  it("wait while the issuer has paused the token, and keep others of another recipient", async () => {
    world.clearances.set("po_1", { kind: "wait", reason: "paused" });
    await acceptAll();
    const one = dispatcher({ store, chain: world.chain });
    await play([() => one.run(true)]);
    expect(world.paid().toSorted()).toEqual(["po_2", "po_3"]);
    expect((await store.transfers.findOne({ _id: "po_1" }))?.state).toBe("waiting");
    world.clearances.clear();
    await play([() => one.run(true)]);
    await expectAllPaidOnce();
  });

  it("are all paid once by several processes that work at the same time", async () => {
    await acceptAll();
    const processes = [1, 2, 3].map(() => dispatcher({ store, chain: world.chain }));
    await play(processes.map((each) => () => each.run(true)));
    await expectAllPaidOnce();
  });

  it("are all paid once where a process that stood still gives nonces away that others have", async () => {
    await acceptTransfer(store, "po_1", world.chain.wallet, orderTo("po_1"), now);
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const isPaused = async () => {
      reached.resolve();
      await held.promise;
      return false;
    };
    const stalled = dispatcher({ store, chain: world.chain }, isPaused).run(true);
    await reached.promise;
    await acceptTransfer(store, "po_2", world.chain.wallet, orderTo("po_2"), now);
    const other = dispatcher({ store, chain: world.chain });
    await other.run(true);
    held.resolve();
    await stalled;
    await acceptTransfer(store, "po_3", world.chain.wallet, orderTo("po_3"), now);
    await play([() => other.run(true)]);
    await expectAllPaidOnce();
  });

  it("send no higher fees that another process has not stored", async () => {
    await acceptAll();
    const other = dispatcher({ store, chain: world.chain });
    await other.run(true);
    now = new Date(now.getTime() + 11_000);
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Chain = {
      ...world.chain,
      sign: async (...given) => {
        reached.resolve();
        await held.promise;
        return world.chain.sign(...given);
      },
    };
    world.knobs.baseFee = 60n;
    const stalled = dispatcher({ store, chain: slow }).run(true);
    await reached.promise;
    world.knobs.baseFee = 90n;
    await other.run(true);
    held.resolve();
    await stalled;
    await play([() => other.run(true)]);
    await expectAllPaidOnce();
  });

  it("are all paid once by a process that stood still while another one worked", async () => {
    await acceptAll();
    const held = Promise.withResolvers<void>();
    const slow: Chain = {
      ...world.chain,
      sign: async (...given) => {
        await held.promise;
        return world.chain.sign(...given);
      },
    };
    const stalled = dispatcher({ store, chain: slow }).run(true);
    await play([() => dispatcher({ store, chain: world.chain }).run(true)]);
    held.resolve();
    await stalled;
    await play([() => dispatcher({ store, chain: world.chain }).run(true)]);
    await expectAllPaidOnce();
  });
});
