import { silentLog } from "@disburse/chassis/log.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storeCancel } from "./cancellation.ts";
import { createChainRail } from "./rail.ts";
import { openTestWallet, type TestWallet } from "./test-wallet.ts";
import { withdrawTransfer } from "./withdrawal.ts";

let of: TestWallet;
beforeAll(async () => {
  of = await openTestWallet("watch");
});
afterAll(() => of.close());
beforeEach(() => of.reset());

const wallet = "1:test";
const replyOf = (key: string) =>
  createChainRail({
    ...{ name: "chain", wallet, store: of.store, clock: of.clock, pollMs: 100 },
    capabilities: { currencies: [], transferMethods: [], networks: [], limits: {} },
    dispatcher: of.dispatcher({ log: silentLog }),
    wake: () => undefined,
  }).query(key);
const takeBack = (key: string) => withdrawTransfer(of.store, wallet, key, of.clock.now());

/** Returns a transfer whose revert is final. */
async function reverted() {
  await of.accept("po_1");
  of.world().knobs.reverts = true;
  const runs = of.dispatcher();
  await of.settle(runs, 4);
  of.world().knobs.reverts = false;
  return runs;
}

describe("a transfer that reverted", () => {
  it("is watched and polled until enough blocks are on top", async () => {
    const runs = await reverted();
    const rejected = { status: { kind: "rejected", failure: { code: "TRANSFER_REVERTED" } } };
    expect(await replyOf("po_1")).toEqual({ ...rejected, pollAfterMs: 30_000 });
    await of.settle(runs, 30);
    expect(await replyOf("po_1")).toEqual(rejected);
    expect(await takeBack("po_1")).toBe(true);
    expect(of.events()).toEqual(["reverted"]);
  });

  it("contradicts itself when it leaves the chain, is not sent again, and may be paid", async () => {
    const runs = await reverted();
    of.world().reorganise(10);
    await of.settle(runs, 4);
    expect(await replyOf("po_1")).toMatchObject({
      ...{
        status: { kind: "rejected" },
        contradiction: "a reorganisation removed the transaction from the chain",
      },
    });
    expect(of.events()).toEqual(["reverted", "reorganised"]);
    expect(of.world().pooled()).toBe(0);
    expect(await takeBack("po_1")).toBe(false);
  });

  it("contradicts itself where it is a success then", async () => {
    const runs = await reverted();
    const [attempt] = (await of.find("po_1")).attempts;
    of.world().reorganise(10);
    await of.world().chain.send(attempt?.raw.value() ?? new Uint8Array());
    of.world().mine();
    await of.settle(runs, 30);
    expect(of.world().paid()).toEqual(["po_1"]);
    expect((await replyOf("po_1")).contradiction).toBeDefined();
    const { open, kept } = await of.find("po_1");
    expect([open, kept]).toEqual([undefined, undefined]);
    expect(await takeBack("po_1")).toBe(false);
  });

  it("is never paid where operators cancel its nonce then", async () => {
    const runs = await reverted();
    of.world().reorganise(10);
    await of.settle(runs, 4);
    const decided = { end: "reject" as const, person: "ada", operation: "op", at: of.clock.now() };
    expect(await storeCancel(of.store, { wallet, nonce: 0 }, decided, 0)).toBeDefined();
    await of.settle(runs, 30);
    expect(of.world().paid()).toEqual([]);
    expect(await of.find("po_1")).toMatchObject({ state: "rejected", kept: true });
    expect(await takeBack("po_1")).toBe(true);
  });
});

describe("a nonce that a transfer had lost", () => {
  it("to a cancelling transaction goes to that again: the transfer is not paid twice", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher({ watchBlocks: 100 });
    await runs.run(true);
    const decided = { end: "renew" as const, person: "ada", operation: "op", at: of.clock.now() };
    await storeCancel(of.store, { wallet, nonce: 0 }, decided, 0);
    await of.settle(runs, 12);
    expect(await of.find("po_1")).toMatchObject({ state: "settled", nonce: 1 });
    of.world().reorganise(20);
    await of.settle(runs, 12);
    expect(of.world().paid()).toEqual(["po_1"]);
    expect(of.events()).toEqual(["cancelled", "reorganised"]);
    expect((await replyOf("po_1")).contradiction).toBeDefined();
  });

  it("that pays it after all keeps its outcome unknown, whatever became of its last one", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    await runs.run(true);
    of.world().useOutside("elsewhere");
    of.world().knobs.reverts = true;
    await of.settle(runs, 8);
    expect(await of.find("po_1")).toMatchObject({ state: "rejected", nonce: 1 });
    const [first, second] = (await of.find("po_1")).attempts;
    of.world().reorganise(20);
    for (const attempt of [first, second]) {
      await of.world().chain.send(attempt?.raw.value() ?? new Uint8Array());
    }
    await of.settle(runs, 30);
    expect(await of.find("po_1")).not.toHaveProperty("kept");
    expect(await takeBack("po_1")).toBe(false);
  });
});
