import { storeCancel } from "@disburse/chain-rail/cancellation.ts";
import type { CancelEnd } from "@disburse/chain-rail/documents.ts";
import { anvilPath, wallet } from "@disburse/testkit/evm/anvil.ts";
import type { NodeAnswer, NodeCall, NodeFault } from "@disburse/testkit/evm/node-proxy.ts";
import { getAddress, toHex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RunningRail } from "./test-evm.ts";
import { openTestEvm, runs, type TestEvm, until } from "./test-evm.ts";

const elsewhere = getAddress("0x00000000000000000000000000000000000000ee");
/** The mode of `token.sol` in which every transfer reverts. */
const paused = 3;

const isReceipt = ({ method }: NodeCall) => method === "eth_getTransactionReceipt";

/** Changes the receipts of a node. */
const changed = (change: object) => (call: NodeCall, answer: NodeAnswer) => {
  const { result } = answer;
  const isThere = isReceipt(call) && typeof result === "object" && result !== null;
  return isThere ? { ...answer, result: { ...result, ...change } } : answer;
};

const lost = (call: NodeCall, answer: NodeAnswer) =>
  isReceipt(call) ? { ...answer, result: null } : answer;

/** Shows a success as a revert, and a revert as a success. */
const reversed = (call: NodeCall, answer: NodeAnswer) => {
  const { status } = (answer.result ?? {}) as { status?: string };
  return changed({ status: status === "0x1" ? "0x0" : "0x1" })(call, answer);
};

/** Invents a receipt of an unmined transaction: mined long ago, and paid. */
const invented = (call: NodeCall, answer: NodeAnswer) => {
  if (!isReceipt(call) || answer.result !== null) return answer;
  const [hash] = call.params ?? [];
  const result = {
    ...{ transactionHash: hash, blockNumber: "0x1", blockHash: `0x${"ab".repeat(32)}` },
    ...{ status: "0x1", logs: [], type: "0x2", transactionIndex: "0x0", contractAddress: null },
    ...{ gasUsed: "0x1", cumulativeGasUsed: "0x1", effectiveGasPrice: "0x1" },
  };
  return { ...answer, result };
};

describe.skipIf(anvilPath() === undefined)("evm-nodes: two nodes that have to agree", () => {
  let evm: TestEvm;
  let rail: RunningRail;
  beforeAll(async () => {
    evm = await openTestEvm("nodes");
    rail = await evm.start();
  });
  afterAll(() => evm.stop());
  afterEach(() => {
    for (const proxy of evm.proxies) proxy.set({});
    evm.events.length = 0;
  });

  /** Faults of one node that hide or change a receipt that the other node has. */
  const faults: readonly [string, NodeFault][] = [
    ["is away", { isAway: true }],
    ["is behind", { behind: 8 }],
    ["has never seen it", { lie: lost }],
    ["shows it in another block", { lie: changed({ blockHash: `0x${"cd".repeat(32)}` }) }],
    ["says that it ended differently", { lie: reversed }],
  ];
  const theTransfer = async (keys: readonly string[]) => {
    const [transfer] = await evm.transfersOf(keys);
    if (transfer === undefined) throw new Error("no transfer");
    return transfer;
  };
  const cancel = async (nonce: number, end: CancelEnd) => {
    const decided = { end, person: "ada", operation: "op", at: new Date() };
    await storeCancel(rail.wallet.store, { wallet: rail.wallet.wallet, nonce }, decided, 0);
  };
  /** Pays one payout, whose transaction is in the pool. Returns its key and nonce. */
  const payOne = async () => {
    const keys = await evm.pay(rail, 1);
    await evm.untilSent(keys);
    const { nonce = -1 } = await theTransfer(keys);
    return { keys, key: keys[0] ?? "", nonce };
  };
  /** Mines enough blocks, but one node alone proves them. */
  const mineWith = async (fault: NodeFault) => {
    evm.proxies[1]?.set(fault);
    for (let block = 0; block < 5; block += 1) await evm.mine();
    await runs();
  };

  it.each<[string, NodeFault, string]>([
    ["is away", { isAway: true }, "numbered"],
    ["does not answer in time", { delayMs: 6_000 }, "numbered"],
    ["is behind", { behind: 8 }, "numbered"],
    ["says that the transfer reverted", { lie: changed({ status: "0x0" }) }, "numbered"],
    ["says that it paid nothing", { lie: changed({ logs: [] }) }, "numbered"],
    [
      "shows it in another block",
      { lie: changed({ blockHash: `0x${"cd".repeat(32)}` }) },
      "numbered",
    ],
    ["has never seen it", { lie: lost }, "numbered"],
    ["is slow, and answers", { delayMs: 500 }, "settled"],
  ])("settle nothing by the other node alone while one %s", async (_what, fault, state) => {
    const keys = await evm.pay(rail, 3);
    await evm.untilSent(keys);
    evm.proxies[1]?.set(fault);
    for (let block = 0; block < 5; block += 1) await evm.mine();
    await runs();
    if (state === "settled") await evm.untilAll(keys, "settled");
    else expect(new Set((await evm.states(keys)).values())).toEqual(new Set([state]));
    evm.proxies[1]?.set({});
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
    expect(evm.events).toEqual([]);
  });

  it("are not fooled by a receipt of what was never mined", async () => {
    const keys = await evm.pay(rail, 2);
    await evm.untilSent(keys);
    for (const proxy of evm.proxies) proxy.set({ lie: invented });
    await runs();
    expect(new Set((await evm.states(keys)).values())).toEqual(new Set(["numbered"]));
    for (const proxy of evm.proxies) proxy.set({});
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
  });

  it.each(faults)("fail nothing by the other node alone while one %s", async (_what, fault) => {
    await evm.anvil.setMode(evm.token, paused);
    await evm.mine();
    const { keys, key, nonce } = await payOne();
    await mineWith(fault);
    expect(await theTransfer(keys)).toMatchObject({ state: "numbered", nonce });
    expect(await rail.rail.withdraw?.(key)).toBe(false);
    evm.proxies[1]?.set({});
    await evm.mineUntil(keys, "rejected");
    expect(await rail.rail.withdraw?.(key)).toBe(true);
    expect((await theTransfer(keys)).attempts).toHaveLength(1);
    expect(await evm.contradictions(keys)).toEqual([]);
    await evm.anvil.setMode(evm.token, 0);
    await evm.mine();
  });

  it("fail no transaction of which one of them invents the revert", async () => {
    await evm.mine(4);
    const { keys, key } = await payOne();
    // An old block, which is final.
    const { number, hash } = await evm.anvil.client.getBlock({ blockNumber: 1n });
    const block = { blockNumber: toHex(number), blockHash: hash, status: "0x0" };
    evm.proxies[1]?.set({ lie: (call, answer) => changed(block)(call, invented(call, answer)) });
    for (let again = 0; again < 3; again += 1) await runs();
    expect((await theTransfer(keys)).state).toBe("numbered");
    expect(await rail.rail.withdraw?.(key)).toBe(false);
    evm.proxies[1]?.set({});
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
  });

  const cancellations = (["reject", "renew"] as const).flatMap((end) =>
    faults.map(([what, fault]) => ({ end, what, fault })),
  );
  it.each(cancellations)(
    "cancel no nonce ($end) by the other node alone while one $what",
    async ({ end, fault }) => {
      const { keys, key, nonce } = await payOne();
      await cancel(nonce, end);
      await until(async () => (await theTransfer(keys)).attempts.length === 2);
      await evm.untilSent(keys);
      await mineWith(fault);
      const { state, attempts, lost: given, ...found } = await theTransfer(keys);
      expect([state, found.nonce, attempts.length, given]).toEqual(["numbered", nonce, 2, []]);
      expect(await rail.rail.withdraw?.(key)).toBe(false);
      evm.proxies[1]?.set({});
      await evm.mineUntil(keys, end === "reject" ? "cancelled" : "settled");
      expect(evm.events).toEqual(["cancelled"]);
      expect(await rail.rail.withdraw?.(key)).toBe(end === "reject");
      expect(await evm.contradictions(keys)).toEqual([]);
    },
  );

  it.each<[string, NodeFault]>([
    ["is away", { isAway: true }],
    ["is behind", { behind: 8 }],
    [
      "shows no transactions of the block",
      {
        lie: (call, answer) => {
          const isBlock = call.method === "eth_getBlockByNumber" && call.params?.[1] === true;
          return isBlock
            ? { ...answer, result: { ...(answer.result as object), transactions: [] } }
            : answer;
        },
      },
    ],
  ])("give no second nonce by the other node alone while one %s", async (_what, fault) => {
    const { keys, nonce } = await payOne();
    await evm.anvil.client.sendTransaction({
      ...{ account: wallet, to: elsewhere, value: 1n, nonce, gas: 21_000n },
      ...{ maxFeePerGas: 90n * 10n ** 9n, maxPriorityFeePerGas: 90n * 10n ** 9n },
    });
    await mineWith(fault);
    expect(await theTransfer(keys)).toMatchObject({ state: "numbered", nonce, lost: [] });
    evm.proxies[1]?.set({});
    await evm.mineUntil(keys, "settled");
    expect(evm.events).toEqual(["nonce_lost"]);
    expect((await theTransfer(keys)).lost).toMatchObject([{ nonce }]);
    expect(await evm.contradictions(keys)).toEqual([]);
  });

  it("lose nothing while both are away", async () => {
    const keys = await evm.pay(rail, 3);
    for (const proxy of evm.proxies) proxy.set({ isAway: true });
    await runs();
    for (const proxy of evm.proxies) proxy.set({});
    await evm.mineUntil(keys, "settled");
    expect(await evm.contradictions(keys)).toEqual([]);
  });
});

describe.skipIf(anvilPath() === undefined)(
  "evm-nodes: three nodes of which two have to agree",
  () => {
    let evm: TestEvm;
    let rail: RunningRail;
    beforeAll(async () => {
      evm = await openTestEvm("three", 3);
      rail = await evm.start({ agreeing: 2 });
    });
    afterAll(() => evm.stop());

    it.each<[string, NodeFault]>([
      ["is away", { isAway: true }],
      ["is far behind", { behind: 10 }],
      ["has never seen a transfer", { lie: lost }],
    ])("go on paying while one %s", async (_what, fault) => {
      await evm.mine(12);
      evm.proxies[0]?.set(fault);
      const keys = await evm.pay(rail, 20);
      await evm.mineUntil(keys, "settled");
      expect(await evm.contradictions(keys)).toEqual([]);
      evm.proxies[0]?.set({});
    });
  },
);
