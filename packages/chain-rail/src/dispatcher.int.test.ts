import { silentLog } from "@disburse/chassis/log.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { Decimal128 } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Chain } from "./chain.ts";
import { createDispatcher, type DispatchDeps } from "./dispatcher.ts";
import { openTransferStore, type TransferStore } from "./documents.ts";
import { indexes } from "./indexes.ts";
import { acceptTransfer } from "./store.ts";
import { createTestChain } from "./test-chain.ts";
import { countOrphans } from "./wallet/rails.ts";
import { withdrawTransfer } from "./withdrawal.ts";
import type { TransferEvent } from "./work.ts";

const finality = 3;
let database: Database;
let store: TransferStore;
let now = new Date("2026-01-01T00:00:00Z");
let world = createTestChain(finality);
let events: TransferEvent[] = [];
let isPaused = false;

beforeAll(async () => {
  database = await migratedDatabase("chain", [baseline(1, indexes)]);
  store = openTransferStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  await store.transfers.deleteMany({});
  await store.wallets.deleteMany({});
  world = createTestChain(finality);
  events = [];
  isPaused = false;
});

const dispatcher = (change: Partial<DispatchDeps> = {}) =>
  createDispatcher({
    ...{ chain: world.chain, store, clock: { now: () => now }, log: silentLog },
    fees: { cap: 1_000n, tip: 1n, bumpAfterMs: 60_000 },
    ...{ watchBlocks: 5, unminedMax: 4, nonceFrom: 0 },
    isPaused: async () => isPaused,
    onEvent: (event) => events.push(event),
    ...change,
  });
const after = (ms: number) => {
  now = new Date(now.getTime() + ms);
};
const accept = (key: string, amount = 5n) =>
  acceptTransfer(store, key, world.chain.wallet, { currency: "USDC_ETH", amount, to: key }, now);
const stateOf = async (key: string) => (await store.transfers.findOne({ _id: key }))?.state;
/** Runs and mines blocks until nothing changes any more. */
const settle = async (runs: ReturnType<typeof dispatcher>, rounds = 12) => {
  for (let round = 0; round < rounds; round += 1) {
    await runs.run(true);
    after(6_000);
    world.mine();
  }
  await runs.run(true);
};

describe("a transfer", () => {
  it("is settled when its transaction is final, and not before", async () => {
    await accept("po_1");
    const runs = dispatcher();
    await runs.run(true);
    const states: unknown[] = [];
    for (let height = 0; height < finality; height += 1) {
      world.mine();
      await runs.run(true);
      states.push(await stateOf("po_1"));
    }
    expect(states).toEqual(["numbered", "numbered", "settled"]);
    const stored = await store.transfers.findOne({ _id: "po_1" });
    expect(stored).toMatchObject({ nonce: 0, end: { height: 1, received: "0.000005" } });
    expect(world.paid()).toEqual(["po_1"]);
  });

  it("is resent with the same bytes after a reorganisation removed it", async () => {
    await accept("po_1");
    const runs = dispatcher();
    await runs.run(true);
    world.mine();
    world.mine();
    world.reorganise(2);
    expect(world.paid()).toEqual([]);
    await settle(runs);
    expect(world.paid()).toEqual(["po_1"]);
    expect(world.signed()).toBe(1);
    expect(await stateOf("po_1")).toBe("settled");
  });

  it("stays settled after a deeper one, is sent again, and is noted", async () => {
    await accept("po_1");
    const runs = dispatcher();
    await settle(runs, 4);
    expect(await stateOf("po_1")).toBe("settled");
    world.reorganise(10);
    await settle(runs);
    expect(world.paid()).toEqual(["po_1"]);
    expect(await stateOf("po_1")).toBe("settled");
    expect(events).toEqual(["reorganised"]);
    expect((await store.transfers.findOne({ _id: "po_1" }))?.reorganised_at).toBeInstanceOf(Date);
  });

  it("is rejected when its revert is final", async () => {
    await accept("po_1");
    world.knobs.reverts = true;
    const runs = dispatcher();
    await settle(runs, 2);
    expect(await stateOf("po_1")).toBe("numbered");
    await settle(runs);
    expect(await stateOf("po_1")).toBe("rejected");
    expect(events).toEqual(["reverted"]);
  });

  it("gets higher fees under its nonce, and is paid once", async () => {
    await accept("po_1");
    const runs = dispatcher();
    await runs.run(true);
    world.knobs.baseFee = 100n;
    world.mine();
    after(60_000);
    await settle(runs);
    expect(world.signed()).toBe(2);
    expect(world.paid()).toEqual(["po_1"]);
    expect(events).toEqual(["bumped"]);
  });

  it("gets a new nonce when another final transaction has its own", async () => {
    await accept("po_1");
    const runs = dispatcher();
    world.useOutside("elsewhere");
    await runs.run(true);
    world.mine();
    await runs.run(true);
    world.mine();
    await runs.run(true);
    // The transaction is not final yet: its bytes may still be mined.
    expect(await store.transfers.findOne({ _id: "po_1" })).toMatchObject({ nonce: 0, lost: [] });
    await settle(runs);
    expect(world.paid()).toEqual(["elsewhere", "po_1"]);
    expect(await store.transfers.findOne({ _id: "po_1" })).toMatchObject({
      ...{ state: "settled", nonce: 1, lost: [{ nonce: 0 }] },
    });
    expect(events).toEqual(["nonce_lost"]);
  });

  it("is left to operators if the same payment was made elsewhere with its nonce", async () => {
    await accept("po_1");
    const runs = dispatcher();
    world.useOutside("po_1");
    await settle(runs);
    expect(world.paid()).toEqual(["po_1"]);
    expect(await stateOf("po_1")).toBe("unclear");
    expect(events).toEqual(["unclear"]);
  });
});

describe("a wallet", () => {
  it("has so many unmined transactions at most", async () => {
    for (let at = 0; at < 10; at += 1) await accept(`po_${at}`);
    const runs = dispatcher();
    await runs.run(true);
    expect(world.pooled()).toBe(4);
    expect(runs.state()).toMatchObject({ unmined: 4 });
    await settle(runs);
    expect(world.paid().toSorted()).toEqual(Array.from({ length: 10 }, (_each, at) => `po_${at}`));
  });

  it.each<[string, Partial<typeof world.knobs>, boolean]>([
    ["it has too little of the token", { token: 4n }, false],
    ["it has too little for fees", { coin: 4n }, false],
    ["the chain costs more than the cap", { baseFee: 1_001n }, false],
    ["operators have paused the rail", {}, true],
  ])("gives no nonce away while %s, and goes on afterwards", async (_what, knobs, paused) => {
    const before = { ...world.knobs };
    await accept("po_1");
    Object.assign(world.knobs, knobs);
    isPaused = paused;
    const runs = dispatcher();
    await settle(runs, 3);
    expect(await stateOf("po_1")).toBe("waiting");
    expect((await store.wallets.findOne({}))?.next_nonce).toBe(0);
    Object.assign(world.knobs, before);
    isPaused = false;
    await settle(runs);
    expect(world.paid()).toEqual(["po_1"]);
  });

  it("assigns none after nonces were used elsewhere, until an operator allows it", async () => {
    await dispatcher().run(true);
    world.useOutside("elsewhere");
    world.mine();
    await accept("po_1");
    const runs = dispatcher();
    await settle(runs, 4);
    expect(runs.state()?.blocked).toBe("nonce");
    expect(world.paid()).toEqual(["elsewhere"]);
    await settle(dispatcher({ nonceFrom: 1 }));
    expect(world.paid()).toEqual(["elsewhere", "po_1"]);
  });

  it("does not begin by one node alone, nor while a transaction is pending", async () => {
    await accept("po_1");
    const ahead = async () => ({ ...(await world.chain.snapshot()), pendingMost: 900 });
    const misled = dispatcher({ chain: { ...world.chain, snapshot: ahead } });
    await expect(misled.run(true)).rejects.toThrow("no unmined transaction");
    expect(await store.wallets.countDocuments()).toBe(0);
    await settle(dispatcher());
    expect(await store.transfers.findOne({ _id: "po_1" })).toMatchObject({ nonce: 0 });
  });

  it("skips no unmined nonce, whatever the settings", async () => {
    await dispatcher().run(true);
    await accept("po_1");
    await settle(dispatcher({ nonceFrom: 50 }));
    expect(world.paid()).toEqual(["po_1"]);
  });

  it("gives none away while a node has transactions of it that are none of ours", async () => {
    await dispatcher().run(true);
    await accept("po_1");
    const restored = async () => ({ ...(await world.chain.snapshot()), pendingMost: 1 });
    const runs = dispatcher({ chain: { ...world.chain, snapshot: restored } });
    await runs.run(true);
    expect(runs.state()?.blocked).toBe("nonce");
    expect(await stateOf("po_1")).toBe("waiting");
  });

  it("goes on where one transfer's currency is not in the settings any more", async () => {
    await acceptTransfer(
      ...([store, "po_0", world.chain.wallet] as const),
      ...([{ currency: "USDT_ETH", amount: 5n, to: "po_0" }, now] as const),
    );
    await accept("po_1");
    const runs = dispatcher();
    await settle(runs);
    expect(world.paid()).toEqual(["po_1"]);
    expect(await stateOf("po_0")).toBe("waiting");
    expect(runs.state()?.waiting).toBe(1);
  });

  it("goes on where another transfer cannot be followed", async () => {
    await accept("po_1");
    await accept("po_2");
    const verdict: Chain["verdict"] = async (ids, order) => {
      if (order?.to === "po_1") throw new Error("not of the settings");
      return world.chain.verdict(ids, order);
    };
    await settle(dispatcher({ chain: { ...world.chain, verdict } }));
    expect(await stateOf("po_1")).toBe("numbered");
    expect(await stateOf("po_2")).toBe("settled");
  });

  it("counts what is unmined against its funds, also behind very many that are not final", async () => {
    await dispatcher().run(true);
    const many = 1_001;
    await store.transfers.insertMany(
      Array.from({ length: many }, (_each, nonce) => ({
        ...{ _id: `mined_${nonce}`, schema_version: 1, wallet: world.chain.wallet, nonce },
        ...{ currency: "USDC_ETH", amount_minor: Decimal128.fromString("1"), to: "x" },
        ...{ state: "numbered" as const, open: world.chain.wallet, lost: [], attempts: [] },
        ...{ accepted_at: now, updated_at: now },
      })),
    );
    await store.wallets.updateOne({}, { $set: { next_nonce: many } });
    const mined = { minedLeast: many, minedMost: many, pendingMost: many };
    const snapshot = async () => ({ ...(await world.chain.snapshot()), ...mined });
    world.knobs.token = 5n;
    const runs = dispatcher({ chain: { ...world.chain, snapshot } });
    after(1_000);
    await accept("po_1");
    await runs.run(true);
    expect(await stateOf("po_1")).toBe("numbered");
    await accept("po_2");
    await runs.run(true);
    expect(await stateOf("po_2")).toBe("waiting");
  });

  it("that the settings do not name any more leaves transfers that are counted", async () => {
    await accept("po_1");
    await accept("po_2");
    expect(await countOrphans([store.transfers], [world.chain.wallet])).toBe(0);
    expect(await countOrphans([store.transfers], ["1:other"])).toBe(2);
    expect(await countOrphans([store.transfers], [])).toBe(2);
    await settle(dispatcher({ watchBlocks: 0 }));
    expect(await countOrphans([store.transfers], [])).toBe(0);
  });

  it("begins where the chain has it", async () => {
    world.useOutside("before");
    world.mine();
    await accept("po_1");
    await settle(dispatcher());
    expect(await store.transfers.findOne({ _id: "po_1" })).toMatchObject({ nonce: 1 });
  });
});

describe("a transfer that is withdrawn", () => {
  const { wallet } = createTestChain(finality).chain;
  const takeBack = (key: string) => withdrawTransfer(store, wallet, key, now);

  it("while it waits is never paid", async () => {
    await dispatcher().run(true);
    await accept("po_1");
    expect(await takeBack("po_1")).toBe(true);
    await settle(dispatcher());
    expect(world.paid()).toEqual([]);
    expect(await stateOf("po_1")).toBe("withdrawn");
    expect(await takeBack("po_1")).toBe(true);
  });

  it("before its submission is not accepted afterwards", async () => {
    expect(await takeBack("po_1")).toBe(true);
    await accept("po_1");
    await settle(dispatcher());
    expect(world.paid()).toEqual([]);
  });

  it("with a nonce is not withdrawn", async () => {
    await accept("po_1");
    const runs = dispatcher();
    await runs.run(true);
    expect(await takeBack("po_1")).toBe(false);
    await settle(runs);
    expect(await takeBack("po_1")).toBe(false);
    expect(world.paid()).toEqual(["po_1"]);
  });

  it("is not withdrawn if a killed process had assigned a nonce", async () => {
    await accept("po_1");
    const sign = async () => {
      throw new Error("killed");
    };
    await expect(dispatcher({ chain: { ...world.chain, sign } }).run(true)).rejects.toThrow();
    expect(await takeBack("po_1")).toBe(false);
    await settle(dispatcher());
    expect(world.paid()).toEqual(["po_1"]);
  });

  it("is paid or withdrawn, not both, under concurrency", async () => {
    const keys = Array.from({ length: 12 }, (_each, at) => `po_${at}`);
    for (const key of keys) await accept(key);
    const runs = dispatcher({ unminedMax: 12 });
    await dispatcher({ unminedMax: 12, isPaused: async () => true }).run(true);
    const [taken] = await Promise.all([
      Promise.all(keys.filter((_key, at) => at % 2 === 0).map(takeBack)),
      runs.run(true),
    ]);
    await settle(runs);
    const paid = new Set(world.paid());
    const even = keys.filter((_key, at) => at % 2 === 0);
    expect(even.map((key) => paid.has(key))).toEqual(taken.map((isTaken) => !isTaken));
    expect(keys.filter((_key, at) => at % 2 === 1).every((key) => paid.has(key))).toBe(true);
  });
});
