import { storeCancel } from "@disburse/chain-rail/cancellation.ts";
import type { CancelEnd } from "@disburse/chain-rail/documents.ts";
import { anvilPath, wallet } from "@disburse/testkit/evm/anvil.ts";
import { type Address, getAddress, type Hex } from "viem";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tokenAbi } from "./node.ts";
import type { RunningRail } from "./test-evm.ts";
import { newestOf, openTestEvm, runs, type TestEvm, until } from "./test-evm.ts";

const elsewhere = getAddress("0x00000000000000000000000000000000000000ee");

describe.skipIf(anvilPath() === undefined)("matrix: a wallet on anvil", () => {
  let evm: TestEvm;
  let rail: RunningRail;
  beforeEach(async () => {
    evm = await openTestEvm("wallet");
    rail = await evm.start();
  });
  afterEach(() => evm.stop());

  const receipts = async (hashes: readonly Hex[]) => {
    const found = hashes.map((hash) => evm.anvil.client.getTransactionReceipt({ hash }));
    return (await Promise.allSettled(found)).flatMap((each) =>
      each.status === "fulfilled" ? [each.value.transactionHash] : [],
    );
  };
  const setBaseFee = (gwei: bigint) =>
    evm.anvil.client.setNextBlockBaseFeePerGas({ baseFeePerGas: gwei * 10n ** 9n });
  /** Pays somebody else with the wallet's key, as another program would. */
  const useOutside = (nonce: number, gwei: bigint) =>
    evm.anvil.client.sendTransaction({
      ...{ account: wallet, to: elsewhere, value: 1n, nonce, gas: 21_000n },
      ...{ maxFeePerGas: gwei * 10n ** 9n, maxPriorityFeePerGas: gwei * 10n ** 9n },
    });
  const cancel = (nonce: number, end: CancelEnd) => {
    const decided = { end, person: "ada", operation: "op", at: new Date() };
    const { store, wallet: id } = rail.wallet;
    return storeCancel(store, { wallet: id, nonce }, decided, 0);
  };

  it("waits while the chain costs more than the cap, and pays once when it does not", async () => {
    const sent = await evm.pay(rail, 2);
    await evm.untilSent(sent);
    await setBaseFee(150n);
    await evm.mine();
    await until(async () => !(await rail.rail.available()));
    const late = await evm.pay(rail, 2);
    for (let block = 0; block < 3; block += 1) {
      await setBaseFee(150n);
      await evm.mine();
      evm.after(61_000);
      await runs();
    }
    expect(new Set((await evm.states(sent)).values())).toEqual(new Set(["numbered"]));
    expect(new Set((await evm.states(late)).values())).toEqual(new Set(["waiting"]));
    await setBaseFee(5n);
    const all = [...sent, ...late];
    await evm.mineUntil(all, "settled");
    expect(await evm.contradictions(all)).toEqual([]);
  });

  it("raises fees under the same nonce until a block contains it, and pays once", async () => {
    const keys = await evm.pay(rail, 2);
    await evm.untilSent(keys);
    for (let round = 0; round < 3; round += 1) {
      await setBaseFee(20n + BigInt(round) * 15n);
      await evm.mine();
      evm.after(61_000);
      await runs();
    }
    const attempts = (await evm.transfersOf(keys)).map((each) => each.attempts.length);
    expect(Math.min(...attempts)).toBeGreaterThan(1);
    await setBaseFee(10n);
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
    for (const { attempts: all } of await evm.transfersOf(keys)) {
      expect(await receipts(all.map(({ id }) => id as Hex))).toHaveLength(1);
    }
  });

  it("gives a payout a second nonce when its first one was used elsewhere, and pays it once", async () => {
    const keys = await evm.pay(rail, 3);
    await evm.untilSent(keys);
    await useOutside(0, 90n);
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
    expect(evm.events).toContain("nonce_lost");
    const nonces = (await evm.transfersOf(keys)).map(({ nonce }) => nonce);
    expect(nonces.toSorted()).toEqual([1, 2, 3]);
  });

  it("stops when it was used elsewhere, until an operator lets it continue", async () => {
    await useOutside(0, 90n);
    await evm.mine();
    await until(async () => rail.wallet.state()?.blocked === "nonce");
    const keys = await evm.pay(rail, 2);
    for (let block = 0; block < 4; block += 1) await evm.mine();
    await runs();
    expect(new Set((await evm.states(keys)).values())).toEqual(new Set(["waiting"]));
    await rail.stop();
    rail = await evm.start({ nonce_from: 1 });
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
  });

  it.each<[CancelEnd, string]>([
    ["reject", "cancelled"],
    ["renew", "settled"],
  ])("has one of payment and cancelling transaction mined, %s", async (end, state) => {
    const keys = await evm.pay(rail, 3);
    await evm.untilSent(keys);
    await cancel(1, end);
    await until(async () =>
      (await evm.transfersOf(keys)).some(({ attempts }) => attempts.length > 1),
    );
    await runs();
    const second = (await evm.transfersOf(keys)).find(({ nonce }) => nonce === 1);
    if (second === undefined) throw new Error("no transfer has the nonce");
    await evm.mineUntil(keys, "settled", "cancelled");
    expect((await evm.states(keys)).get(second._id)).toBe(state);
    expect(await evm.contradictions(keys)).toEqual([]);
    const first = second.attempts.map(({ id }) => id as Hex);
    expect(await receipts(first)).toEqual([newestOf(second)]);
  });

  it("settles what was mined before it was cancelled", async () => {
    const keys = await evm.pay(rail, 1);
    await evm.untilSent(keys);
    await evm.mine();
    await cancel(0, "reject");
    await evm.mineUntil(keys, "settled", "cancelled");
    expect((await evm.states(keys)).get(keys[0] ?? "")).toBe("settled");
    expect(await evm.contradictions(keys)).toEqual([]);
  });

  it("goes on behind a gap when that is closed", async () => {
    const { store, wallet: id } = rail.wallet;
    await store.wallets.updateOne({ _id: id }, { $inc: { next_nonce: 1, revision: 1 } });
    const keys = await evm.pay(rail, 2);
    await evm.untilSent(keys);
    for (let block = 0; block < 4; block += 1) await evm.mine();
    await runs();
    expect(await evm.contradictions(keys)).toEqual([]);
    await cancel(0, "reject");
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
  });

  it.each([
    ["a token that is paused", 3, "rejected", 0n],
    ["a token that returns false", 1, "unclear", 0n],
    ["a token that takes a fee", 2, "settled", 990_001n],
  ])("pays %s as it can be", async (_what, mode, state, received) => {
    await evm.anvil.setMode(evm.token, mode);
    await evm.mine();
    const keys = await evm.pay(rail, 1, { accountNumber: elsewhere });
    await evm.mineUntil(keys, state);
    const balance = await balanceOf(elsewhere);
    expect(balance).toBe(received);
    const reply = await rail.rail.query(keys[0] ?? "");
    // The received amount differs from the order: payout raises an exception (rail-report.ts).
    if (state === "settled") expect(reply.transferred?.amount).toBe("0.990001");
    if (state === "unclear") expect(reply.status.kind).toBe("unknown");
    if (state === "rejected") expect(reply.status.kind).toBe("rejected");
  });

  it("rejects the payout to a recipient that the token has blocked, and pays the others", async () => {
    await evm.anvil.block(evm.token, elsewhere);
    await evm.mine();
    const blocked = await evm.pay(rail, 1, { accountNumber: elsewhere });
    const others = await evm.pay(rail, 3);
    await evm.mineUntil([...blocked, ...others], "settled", "rejected");
    expect((await evm.states(blocked)).get(blocked[0] ?? "")).toBe("rejected");
    expect(await balanceOf(elsewhere)).toBe(0n);
    expect(await evm.contradictions(others)).toEqual([]);
  });

  const balanceOf = (address: Address) =>
    evm.anvil.client.readContract({
      ...{ address: evm.token, abi: tokenAbi, functionName: "balanceOf", args: [address] },
    });
});
