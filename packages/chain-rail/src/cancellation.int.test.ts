import { isRefused } from "@disburse/kernel/refusal.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cancelProblem, storeCancel } from "./cancellation.ts";
import type { Chain } from "./chain.ts";
import type { CancelEnd } from "./documents.ts";
import { openTestWallet, type TestWallet } from "./test-wallet.ts";
import { withdrawTransfer } from "./withdrawal.ts";

let of: TestWallet;
beforeAll(async () => {
  of = await openTestWallet("cancellation");
});
afterAll(() => of.close());
beforeEach(() => of.reset());

const wallet = "1:test";
const cancel = (nonce: number, end: CancelEnd = "reject", operation = "op-1") => {
  const decided = { end, person: "ada", operation, at: of.clock.now() };
  return storeCancel(of.store, { wallet, nonce }, decided, 0);
};
const problem = async (nonce: number, operation = "op-1", mined = 0) => {
  const found = await cancelProblem(of.store, { wallet, nonce }, mined, operation);
  return isRefused(found) ? found.detail : typeof found === "string" ? found : "decided";
};

describe("a transfer whose nonce is cancelled", () => {
  it("is never paid, and ends when the cancelling transaction is final and not before", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    await runs.run(true);
    expect(await cancel(0)).toMatchObject({ _id: "po_1" });
    await runs.run(true);
    const { attempts } = await of.find("po_1");
    expect(attempts.map(({ nonce, cancels }) => [nonce, cancels])).toEqual([
      [0, undefined],
      [0, true],
    ]);
    const states: string[] = [];
    for (let height = 0; height < 3; height += 1) {
      of.world().mine();
      await runs.run(true);
      states.push((await of.find("po_1")).state);
    }
    expect(states).toEqual(["numbered", "numbered", "cancelled"]);
    await of.settle(runs);
    expect(of.world().paid()).toEqual([]);
    expect(of.events()).toEqual(["cancelled"]);
    expect(await withdrawTransfer(of.store, wallet, "po_1", of.clock.now())).toBe(true);
  });

  it("waits for a new nonce where that was decided, and is paid once", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    await runs.run(true);
    await cancel(0, "renew");
    await of.settle(runs);
    expect(of.world().paid()).toEqual(["po_1"]);
    const found = await of.find("po_1");
    expect(found).toMatchObject({ state: "settled", nonce: 1, lost: [{ nonce: 0 }] });
    // The decision concerned the nonce that is gone.
    expect(found.cancel).toBeUndefined();
  });

  it.each<CancelEnd>(["reject", "renew"])(
    "is settled where its payment was mined first, %s",
    async (end) => {
      await of.accept("po_1");
      const runs = of.dispatcher();
      await runs.run(true);
      of.world().mine();
      await cancel(0, end);
      await of.settle(runs);
      expect(of.world().paid()).toEqual(["po_1"]);
      expect(await of.find("po_1")).toMatchObject({ state: "settled", nonce: 0, lost: [] });
    },
  );

  it("is settled where the nodes never got what cancels it", async () => {
    await of.accept("po_1");
    await of.dispatcher().run(true);
    await cancel(0);
    const deaf: Chain = { ...of.world().chain, send: async () => undefined };
    await of.settle(of.dispatcher({ chain: deaf }));
    expect(of.world().paid()).toEqual(["po_1"]);
    const { state, attempts } = await of.find("po_1");
    expect([state, attempts.length]).toEqual(["settled", 2]);
  });

  it("gets higher fees of the cancelling kind alone", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    await runs.run(true);
    of.world().knobs.baseFee = 100n;
    await cancel(0);
    await runs.run(true);
    of.world().knobs.baseFee = 300n;
    of.after(60_000);
    await runs.run(true);
    const { attempts } = await of.find("po_1");
    expect(attempts.map(({ cancels }) => cancels)).toEqual([undefined, true, true]);
    await of.settle(runs);
    expect(of.world().paid()).toEqual([]);
  });

  it.each<[CancelEnd, string, string[]]>([
    ["reject", "cancelled", ["elsewhere"]],
    ["renew", "settled", ["elsewhere", "po_1"]],
  ])("ends as decided if its nonce was used elsewhere, %s", async (end, state, paid) => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    of.world().useOutside("elsewhere");
    await runs.run(true);
    await cancel(0, end);
    await of.settle(runs);
    expect((await of.find("po_1")).state).toBe(state);
    expect(of.world().paid()).toEqual(paid);
  });

  it("is not paid after a deep reorganisation either: the same bytes take its nonce again", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    await runs.run(true);
    await cancel(0);
    await of.settle(runs, 4);
    expect((await of.find("po_1")).state).toBe("cancelled");
    of.world().reorganise(10);
    await of.settle(runs, 30);
    expect(of.world().paid()).toEqual([]);
    expect(of.events()).toContain("reorganised");
    const { attempts, kept, open } = await of.find("po_1");
    expect([attempts.length, kept, open]).toEqual([2, true, undefined]);
    expect(await withdrawTransfer(of.store, wallet, "po_1", of.clock.now())).toBe(true);
  });
});

describe("a gap", () => {
  it("is closed by a transaction that pays nothing, and what is behind it is paid", async () => {
    const runs = of.dispatcher();
    await runs.run(true);
    await of.store.wallets.updateOne({}, { $set: { next_nonce: 1 } });
    await of.accept("po_1");
    await of.settle(runs, 4);
    expect(of.world().paid()).toEqual([]);
    expect(await problem(0)).toBe("cancellable");
    await cancel(0);
    await of.settle(runs);
    expect(of.world().paid()).toEqual(["po_1"]);
    expect((await of.find("nonce 1:test 0")).state).toBe("cancelled");
  });
});

describe("a nonce", () => {
  it("can be cancelled while a transfer has it and it is not final", async () => {
    await of.accept("po_1");
    const runs = of.dispatcher();
    expect(await problem(0)).toBe("nonce: was not assigned to a transfer");
    await runs.run(true);
    expect(await problem(0)).toBe("cancellable");
    expect(await problem(1)).toBe("nonce: was not assigned to a transfer");
    expect(await problem(0, "op-1", 1)).toBe("nonce: was already used by a mined transaction");
    await cancel(0);
    expect(await problem(0)).toBe("decided");
    expect(await problem(0, "op-2")).toBe("nonce: was already cancelled");
    expect(await cancel(0, "renew", "op-2")).toBeUndefined();
    expect((await of.find("po_1")).cancel).toMatchObject({ end: "reject", operation: "op-1" });
  });

  it("cannot be while it is being signed, nor when it is final", async () => {
    await of.accept("po_1");
    const sign = async () => {
      throw new Error("the signer is away");
    };
    const killed = of.dispatcher({ chain: { ...of.world().chain, sign } });
    await expect(killed.run(true)).rejects.toThrow("away");
    expect(await problem(0)).toBe(
      "nonce: belongs to a transaction that is being signed: repeat the request",
    );
    await of.settle(of.dispatcher());
    expect(await problem(0)).toBe("nonce: already has a final transaction");
    expect(await cancel(0)).toBeUndefined();
    expect((await of.find("po_1")).state).toBe("settled");
  });
});
