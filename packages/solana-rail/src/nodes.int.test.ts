import type { SolanaCall, SolanaFault } from "@disburse/testkit/solana/node-front.ts";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connectNode } from "./node.ts";
import type { SolanaRail } from "./open.ts";
import { openTestSolana, type TestSolana } from "./test-solana.ts";

let solana: TestSolana;
let opened: SolanaRail;
let isPaused = false;
beforeAll(async () => {
  solana = await openTestSolana("solana-nodes");
  opened = await solana.open({}, async () => isPaused);
  await opened.run();
});
afterAll(() => solana?.stop());
afterEach(() => {
  for (const front of solana.fronts) front.set({});
  solana.events.length = 0;
  isPaused = false;
});

/** More blocks than a transaction's lifetime, the spare blocks and the finality. */
const lifetime = 170;

const onStatuses = (change: (status: object | null) => unknown) => {
  return ({ method }: SolanaCall, result: unknown) => {
    if (method !== "getSignatureStatuses") return result;
    const { value, ...rest } = result as { value: (object | null)[] };
    return { ...rest, value: value.map(change) };
  };
};
const finalized = { confirmations: null, confirmationStatus: "finalized", status: {} };
const unseen = onStatuses(() => null);
const invented = onStatuses(() => ({ ...finalized, slot: 120, err: null }));
const failed = onStatuses(
  (status) => status && { ...status, err: { InstructionError: [4, { Custom: 17 }] } },
);
const succeeded = onStatuses((status) => status && { ...status, err: null });
const elsewhere = onStatuses((status) => status && { ...status, slot: 121 });

const result = (wanted: string, change: (value: Record<string, number>) => unknown) => {
  return ({ method }: SolanaCall, value: unknown) =>
    method === wanted ? change(value as Record<string, number>) : value;
};

const run = async (times = 1): Promise<void> => {
  for (let at = 0; at < times; at += 1) {
    await opened.run().catch(() => undefined);
    solana.after(2_000);
  }
};

/** Signs transfers that no node passes on. */
const paySwallowed = async (count = 1): Promise<string[]> => {
  for (const front of solana.fronts) front.set({ swallows: true });
  const keys = await solana.pay(opened, count);
  await run();
  for (const key of keys) expect(await solana.stateOf(key)).toBe("signed");
  return keys;
};

describe("solana-nodes: two nodes that have to agree", () => {
  it.each<[string, SolanaFault]>([
    ["is away", { isAway: true }],
    ["is behind", { behind: 8 }],
    ["has never seen the transaction", { lie: unseen }],
    ["says that it failed", { lie: failed }],
    ["shows it in another block", { lie: elsewhere }],
  ])("settle nothing by the other node alone while one %s", async (_what, fault) => {
    const keys = await solana.pay(opened, 2);
    await run();
    solana.set(1, fault);
    solana.chain.mine(6);
    await run(2);
    for (const key of keys) expect(await solana.stateOf(key)).toBe("signed");
    solana.set(1, {});
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it("settle no transaction that one of them invents", async () => {
    const keys = await paySwallowed();
    solana.set(0, { swallows: true, lie: invented });
    solana.chain.mine(6);
    await run(2);
    expect(await solana.stateOf(keys[0] ?? "")).toBe("signed");
    for (const front of solana.fronts) front.set({});
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it.each<[string, SolanaFault, string]>([
    ["is away", { isAway: true }, "accepted"],
    ["is behind", { behind: 8 }, "accepted"],
    ["has never seen the transaction", { lie: unseen }, "accepted"],
    ["says that it succeeded", { lie: succeeded }, "unknown"],
    ["shows it in another block", { lie: elsewhere }, "unknown"],
  ])("fail nothing by the other node alone while one %s", async (_what, fault, status) => {
    const [key = ""] = await solana.pay(opened, 1);
    await run();
    const to = solana.recipientOf(key);
    // The issuer freezes the recipient's account between the check and the block.
    await solana.issuer.freeze(solana.usdc, to);
    solana.chain.mine(6);
    solana.set(1, fault);
    await run(2);
    expect(await solana.stateOf(key)).toBe("signed");
    expect((await opened.rail.query(key)).status.kind).toBe(status);
    expect(await opened.rail.withdraw?.(key)).toBe(false);
    solana.set(1, {});
    await run();
    expect((await opened.rail.query(key)).status).toEqual({
      kind: "rejected",
      failure: { code: "TRANSFER_REVERTED", railCode: "InstructionError 4 Custom 17" },
    });
    expect((await solana.store.findOne({ _id: key }))?.attempts).toHaveLength(1);
    expect(await solana.balanceOf(to)).toBe(0n);
    expect(await opened.rail.withdraw?.(key)).toBe(true);
  });

  it("fail no transaction of which one of them invents the failure", async () => {
    const keys = await paySwallowed();
    const error = { InstructionError: [4, { Custom: 17 }] };
    const lie = onStatuses(() => ({ ...finalized, slot: 120, err: error }));
    solana.set(0, { swallows: true, lie });
    solana.chain.mine(6);
    await run(2);
    expect(await solana.stateOf(keys[0] ?? "")).toBe("signed");
    expect(await opened.rail.withdraw?.(keys[0] ?? "")).toBe(false);
    for (const front of solana.fronts) front.set({});
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it.each<[string, SolanaFault]>([
    ["is away", { isAway: true }],
    ["is behind", { behind: 100 }],
    ["finds it", { lie: invented }],
  ])("let a transfer be cancelled when both prove it expired, not while one %s", async (...of) => {
    const [key = ""] = await paySwallowed();
    solana.chain.mine(lifetime);
    isPaused = true;
    solana.set(1, of[1]);
    await run(2);
    solana.after(60_000);
    await run();
    expect(await opened.rail.withdraw?.(key)).toBe(false);
    for (const front of solana.fronts) front.set({});
    await run();
    solana.after(60_000);
    await run();
    expect(await solana.stateOf(key)).toBe("waiting");
    expect(await opened.rail.withdraw?.(key)).toBe(true);
    isPaused = false;
    await run(2);
    solana.chain.mine(6);
    await run();
    expect((await opened.rail.query(key)).status).toEqual({ kind: "rejected" });
    expect((await solana.store.findOne({ _id: key }))?.attempts).toHaveLength(1);
    expect(await solana.contradictions([key])).toEqual([]);
  });

  it("sign again when both prove that no block contains the transaction", async () => {
    const keys = await paySwallowed(2);
    const first = await Promise.all(keys.map((key) => solana.newestOf(key)));
    solana.chain.mine(lifetime);
    for (const front of solana.fronts) front.set({});
    await run();
    solana.after(60_000);
    await run(2);
    expect(solana.events).toEqual(["expired", "expired"]);
    for (const [at, key] of keys.entries()) {
      const { attempts } = (await solana.store.findOne({ _id: key })) ?? {};
      expect(attempts?.map(({ expired_at }) => expired_at !== undefined)).toEqual([true, false]);
      expect(attempts?.[0]?.id).toBe(first[at]?.id);
    }
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it("are not too early: the last block that can contain the transaction is waited for", async () => {
    const [key = ""] = await paySwallowed();
    const { last_height } = await solana.newestOf(key);
    const finalHeight = () => solana.chain.tip().height - 3;
    solana.chain.mine(last_height - finalHeight());
    await run(2);
    solana.after(60_000);
    await run();
    expect(solana.events).toEqual([]);
    solana.chain.mine();
    await run();
    solana.after(60_000);
    await run();
    expect(solana.events).toEqual(["expired"]);
    for (const front of solana.fronts) front.set({});
    await solana.runUntil(opened, [key], "settled");
    expect(await solana.contradictions([key])).toEqual([]);
  });

  it.each<[string, SolanaFault]>([
    ["does not respond", { isAway: true }],
    ["lags behind", { behind: 100 }],
    ["finds the transaction", { lie: invented }],
  ])("start again to wait for a minute of proofs where one %s in between", async (_what, fault) => {
    const [key = ""] = await paySwallowed();
    solana.chain.mine(lifetime);
    await run();
    solana.after(50_000);
    solana.set(1, fault);
    await run();
    solana.set(1, { swallows: true });
    await run();
    solana.after(56_000);
    await run();
    expect((await solana.store.findOne({ _id: key }))?.attempts).toHaveLength(1);
    expect(solana.events).not.toContain("expired");
    await run();
    expect(solana.events).toContain("expired");
    for (const front of solana.fronts) front.set({});
    await solana.runUntil(opened, [key], "settled");
    expect(await solana.contradictions([key])).toEqual([]);
  });

  it.each<[string, SolanaFault | (() => SolanaFault), string[]]>([
    ["is away", { isAway: true }, []],
    ["is behind", { behind: 100 }, []],
    [
      "reports a low height",
      { lie: result("getEpochInfo", (info) => ({ ...info, blockHeight: 5 })) },
      [],
    ],
    ["invents the transaction", { lie: invented }, ["disputed"]],
    [
      "has removed the blocks from before the sending",
      () => ({ prunedBelow: solana.chain.tip().slot - 20 }),
      ["unproven"],
    ],
    [
      "lacks a block that could contain it",
      () => ({ missing: [solana.chain.blocks.at(-60)?.slot ?? 0] }),
      ["unproven"],
    ],
    [
      "searched to an older block than its final one",
      {
        lie: ({ method }, value) =>
          method === "getSignatureStatuses"
            ? { ...(value as object), context: { slot: 150 } }
            : value,
      },
      ["unproven"],
    ],
  ])("sign nothing again while one %s", async (_what, fault, events) => {
    const [key = ""] = await paySwallowed();
    solana.chain.mine(lifetime);
    for (const front of solana.fronts) front.set({});
    solana.set(1, typeof fault === "function" ? fault() : fault);
    await run(2);
    solana.after(60_000);
    await run();
    const { attempts } = (await solana.store.findOne({ _id: key })) ?? {};
    expect(attempts).toHaveLength(1);
    expect(solana.events).toEqual(events);
    const status = events.length > 0 ? "unknown" : "accepted";
    expect((await opened.rail.query(key)).status.kind).toBe(status);
    expect(await opened.rail.withdraw?.(key)).toBe(false);
    solana.set(1, {});
    await solana.runUntil(opened, [key], "settled");
    expect(await solana.contradictions([key])).toEqual([]);
  });

  it("do not pay twice while one has never seen the transaction and says that it expired", async () => {
    const keys = await solana.pay(opened, 2);
    await run();
    solana.set(1, { lie: unseen });
    solana.chain.mine(lifetime);
    await run(2);
    solana.after(60_000);
    await run();
    for (const key of keys) {
      expect((await solana.store.findOne({ _id: key }))?.attempts).toHaveLength(1);
    }
    expect(solana.events).toContain("disputed");
    solana.set(1, {});
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it.each<[string, SolanaFault]>([
    [
      "reports a much too high height",
      { lie: result("getEpochInfo", (info) => ({ ...info, blockHeight: 1e9 })) },
    ],
    [
      "reports a much too old slot",
      { lie: result("getEpochInfo", (info) => ({ ...info, absoluteSlot: 1 })) },
    ],
    [
      "invents a block hash",
      {
        lie: ({ method }, value) =>
          method === "getLatestBlockhash"
            ? { context: { slot: 1 }, value: { blockhash: solana.usdc, lastValidBlockHeight: 1 } }
            : value,
      },
    ],
  ])("sign nothing by a node alone that %s", async (_what, fault) => {
    // Enough blocks, so that a slot of 1 is too far away.
    solana.chain.mine(1_100);
    solana.set(0, fault);
    const keys = await solana.pay(opened, 1);
    await run();
    const state = await solana.stateOf(keys[0] ?? "");
    const { attempts = [] } = (await solana.store.findOne({ _id: keys[0] ?? "" })) ?? {};
    // The honest node's block hash may be used, but no lie is stored with it.
    for (const { last_height, since_slot } of attempts) {
      expect(last_height).toBeLessThan(solana.chain.tip().height + 170);
      expect(since_slot).toBeGreaterThan(solana.chain.tip().slot - 300);
    }
    expect(["waiting", "signed"]).toContain(state);
    solana.set(0, {});
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it("hide nothing where one answers with an error for one transaction", async () => {
    const [late = ""] = await paySwallowed();
    const { since_slot } = await solana.newestOf(late);
    solana.chain.mine(lifetime);
    for (const front of solana.fronts) front.set({});
    const longTermStorage = -32_019;
    const errorOf = ({ method, params }: SolanaCall) =>
      method === "getBlock" && params?.[0] === since_slot ? longTermStorage : undefined;
    solana.set(1, { errorOf });
    const [other = ""] = await solana.pay(opened, 1);
    await solana.runUntil(opened, [other], "settled");
    solana.after(60_000);
    await run();
    expect((await solana.store.findOne({ _id: late }))?.attempts).toHaveLength(1);
    expect(solana.events).toEqual([]);
    solana.set(1, {});
    await solana.runUntil(opened, [late], "settled");
    expect(await solana.contradictions([late, other])).toEqual([]);
  });

  it("are asked for at most 256 transactions in one call", async () => {
    const [front] = solana.fronts;
    const [key = ""] = await solana.pay(opened, 1);
    await run();
    solana.chain.mine(6);
    const { id } = await solana.newestOf(key);
    const asked = Array.from({ length: 300 }, () => ({ id, lastHeight: 1e9, sinceSlot: 1 }));
    const views = await connectNode(front?.url ?? "").views(asked);
    expect(views.map((each) => each?.kind)).toEqual(asked.map(() => "found"));
    await solana.runUntil(opened, [key], "settled");
  });

  it("send a transaction again after its block has left the chain", async () => {
    const keys = await solana.pay(opened, 2);
    await run();
    solana.chain.mine();
    expect(await solana.balanceOf(solana.recipientOf(keys[0] ?? ""))).toBeGreaterThan(0n);
    solana.chain.fork(1);
    expect(await solana.balanceOf(solana.recipientOf(keys[0] ?? ""))).toBe(0n);
    await run(2);
    await solana.runUntil(opened, keys, "settled");
    for (const key of keys) {
      expect((await solana.store.findOne({ _id: key }))?.attempts).toHaveLength(1);
    }
    expect(await solana.contradictions(keys)).toEqual([]);
  });

  it("lose nothing while both are away", async () => {
    const keys = await solana.pay(opened, 2);
    for (const front of solana.fronts) front.set({ isAway: true });
    await run(2);
    for (const front of solana.fronts) front.set({});
    await solana.runUntil(opened, keys, "settled");
    expect(await solana.contradictions(keys)).toEqual([]);
  });
});

describe("solana-nodes: three nodes of which two have to agree", () => {
  let three: TestSolana;
  let rail: SolanaRail;
  beforeAll(async () => {
    three = await openTestSolana("solana-three", 3);
    rail = await three.open({ agreeing: 2 });
  });
  afterAll(() => three?.stop());

  it.each<[string, SolanaFault]>([
    ["is away", { isAway: true }],
    ["is far behind", { behind: 10 }],
    ["has never seen a transfer", { lie: unseen }],
  ])("go on paying while one %s", async (_what, fault) => {
    three.set(2, fault);
    const keys = await three.pay(rail, 2);
    await three.runUntil(rail, keys, "settled");
    expect(await three.contradictions(keys)).toEqual([]);
    three.set(2, {});
  });
});
