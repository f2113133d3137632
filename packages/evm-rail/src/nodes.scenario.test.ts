import { anvilPath } from "@disburse/testkit/evm/anvil.ts";
import type { NodeAnswer, NodeCall, NodeFault } from "@disburse/testkit/evm/node-proxy.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { RunningRail } from "./test-evm.ts";
import { openTestEvm, runs, type TestEvm } from "./test-evm.ts";

const isReceipt = ({ method }: NodeCall) => method === "eth_getTransactionReceipt";

/** Changes the receipts of a node. */
const changed = (change: object) => (call: NodeCall, answer: NodeAnswer) => {
  const { result } = answer;
  const isThere = isReceipt(call) && typeof result === "object" && result !== null;
  return isThere ? { ...answer, result: { ...result, ...change } } : answer;
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

describe.skipIf(anvilPath() === undefined)("matrix: two nodes that have to agree, on anvil", () => {
  let evm: TestEvm;
  let rail: RunningRail;
  beforeAll(async () => {
    evm = await openTestEvm("nodes");
    rail = await evm.start();
  });
  afterAll(() => evm.stop());
  afterEach(() => {
    for (const proxy of evm.proxies) proxy.set({});
  });

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
    [
      "has never seen it",
      { lie: (call, answer) => (isReceipt(call) ? { ...answer, result: null } : answer) },
      "numbered",
    ],
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
  "matrix: three nodes of which two have to agree, on anvil",
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
      [
        "has never seen a transfer",
        { lie: (call, answer) => (isReceipt(call) ? { ...answer, result: null } : answer) },
      ],
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
