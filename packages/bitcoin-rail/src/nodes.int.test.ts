import { bitcoindCommand } from "@disburse/testkit/bitcoin/bitcoind.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { storeCancel } from "./store.ts";
import { openTestBitcoin, type TestBitcoin } from "./test-bitcoin.ts";
import { planTransaction } from "./transaction.ts";
import { withdrawTransfer } from "./withdrawal.ts";

const found = await bitcoindCommand();
const skipped = "why" in found ? ` (skipped: ${found.why})` : "";

type Wallet = Awaited<ReturnType<TestBitcoin["wallet"]>>;
type Outcome = "settled" | "cancelled";

describe.skipIf("why" in found)(`bitcoin-nodes: two nodes that have to agree${skipped}`, () => {
  let world: TestBitcoin;
  let wallet: Wallet;
  let dispatcher: ReturnType<Wallet["dispatcher"]>;

  beforeAll(async () => {
    world = await openTestBitcoin("command" in found ? found.command : [], true);
  });
  afterAll(() => world?.stop());
  beforeEach(async () => {
    await mend();
    wallet = await world.wallet([1, 1, 1]);
    dispatcher = wallet.dispatcher();
  });

  /** Ends all faults of the second node. It then has the chain of the first one. */
  const mend = async () => {
    for (const { knobs } of world.fronts) {
      Object.assign(knobs, { lie: undefined, isAway: false, swallows: false });
    }
    await world.other.follow(world.node);
  };
  const mineOnBoth = async (blocks: number) => {
    await world.node.mine(blocks);
    await world.other.follow(world.node);
  };
  const run = async (ms = 6_000) => {
    await dispatcher.run(true).catch(() => undefined);
    world.after(ms);
  };
  const cancel = async () => {
    const decided = { person: "ada", operation: "op", at: world.clock.now() };
    await storeCancel(world.store, (await wallet.batch())._id, decided);
    await run();
  };
  const isTakenBack = (key: string) =>
    withdrawTransfer(world.store, wallet.chain.wallet, key, world.clock.now());
  const bytes = async () =>
    (await wallet.batch()).variants.map(({ id, raw }) => {
      return { id, hex: Buffer.from(raw.value()).toString("hex") };
    });

  /** Sends two variants of a batch to both nodes: of the payment, or one that cancels it. */
  const sendTwo = async (outcome: Outcome) => {
    const payout = await wallet.accept();
    await run(outcome === "settled" ? 61_000 : 6_000);
    if (outcome === "cancelled") await cancel();
    else await run();
    const [first, last, ...others] = await bytes();
    if (first === undefined || last === undefined || others.length > 0) throw new Error("not two");
    return { payout, first, last };
  };

  type Sent = Awaited<ReturnType<typeof sendTwo>>;
  const faults: readonly [string, (sent: Sent) => Promise<void>][] = [
    ["is behind", async () => undefined],
    [
      "is away",
      async () => {
        world.fronts[1].knobs.isAway = true;
        await world.other.follow(world.node);
      },
    ],
    [
      "has lost the transaction",
      async ({ last }) => {
        world.fronts[1].knobs.lie = (method, [asked]) =>
          method === "gettransaction" && asked === last.id
            ? { confirmations: 0, hex: last.hex }
            : undefined;
        await world.other.follow(world.node);
      },
    ],
    [
      "shows it in another block",
      async ({ last }) => {
        const blockhash = await world.node.rpc<string>("getblockhash", [5]);
        world.fronts[1].knobs.lie = (method, [asked]) =>
          method === "gettransaction" && asked === last.id
            ? { confirmations: 100, blockhash, blockheight: 5, hex: last.hex }
            : undefined;
        await world.other.follow(world.node);
      },
    ],
    [
      "has the other variant, on another branch",
      async ({ first }) => {
        await world.other.mineOnly([first.hex]);
        await world.other.mineOnly([]);
        const known = await world.other.rpc<{ confirmations: number }>("getrawtransaction", [
          ...[first.id, true],
        ]);
        expect(known.confirmations).toBe(2);
      },
    ],
  ];
  const cases = (["settled", "cancelled"] as const).flatMap((outcome) =>
    faults.map(([what, fault]) => ({ outcome, what, fault })),
  );

  it.each(cases)("are not $outcome by one alone while the other $what", async (each) => {
    const { outcome, fault } = each;
    const sent = await sendTwo(outcome);
    const { key, to, amount } = sent.payout;
    await world.node.mine(3);
    await fault(sent);
    // Later than the next rise of fees.
    for (let again = 0; again < 3; again += 1) await run(61_000);
    const { state, variants, children } = await wallet.batch();
    expect(state).toBe("open");
    expect([variants.length, children.length]).toEqual([2, 0]);
    expect(await isTakenBack(key)).toBe(false);
    await mend();
    await run();
    expect((await wallet.batch()).state).toBe(outcome);
    expect(await isTakenBack(key)).toBe(outcome === "cancelled");
    expect(await world.received(to)).toEqual([outcome === "settled" ? amount : 0n]);
  });

  it.each(["settled", "cancelled"] as const)(
    "are not %s by a transaction that one of them invents",
    async (outcome) => {
      const { payout, last } = await sendTwo(outcome);
      const blockhash = await world.node.rpc<string>("getbestblockhash");
      world.fronts[1].knobs.lie = (method, [asked]) =>
        method === "gettransaction" && asked === last.id
          ? { confirmations: 100, blockhash, blockheight: 50, hex: last.hex }
          : undefined;
      await run();
      await run();
      expect((await wallet.batch()).state).toBe("open");
      expect(await isTakenBack(payout.key)).toBe(false);
      await mend();
      await mineOnBoth(2);
      await run();
      expect((await wallet.batch()).state).toBe(outcome);
    },
  );

  it("sign nothing again while one of them has lost a payment that is not mined", async () => {
    world.fronts[1].knobs.swallows = true;
    const { to, amount } = await wallet.accept();
    await run();
    const [first] = await bytes();
    await expect(world.other.rpc("getmempoolentry", [first?.id])).rejects.toThrow();
    await run();
    expect(await bytes()).toEqual([first]);
    world.fronts[1].knobs.swallows = false;
    await run();
    expect(await bytes()).toEqual([first]);
    await world.other.rpc("getmempoolentry", [first?.id]);
    await mineOnBoth(2);
    await run();
    expect((await wallet.batch()).state).toBe("settled");
    expect(await world.received(to)).toEqual([amount]);
  });

  it("settle though it was cancelled, where one had lost the cancellation", async () => {
    const { key, to, amount } = await wallet.accept();
    await run();
    const [payment] = await bytes();
    world.fronts[0].knobs.swallows = true;
    await cancel();
    // The first node still has the payment, and mines it.
    await world.node.mineOnly([payment?.hex ?? ""]);
    await world.node.mine(1);
    await run();
    expect((await wallet.batch()).state).toBe("open");
    await mend();
    await run();
    expect((await wallet.batch()).state).toBe("settled");
    expect(await isTakenBack(key)).toBe(false);
    expect(await world.received(to)).toEqual([amount]);
  });

  it("do not give a batch up for an unknown transaction that one of them has", async () => {
    const { to, amount } = await wallet.accept();
    await run();
    const { _id: fixed } = await wallet.batch();
    const unsigned = planTransaction(wallet.key, {
      ...{ payouts: [], candidates: [], rate: 9n },
      required: [{ id: fixed, amount: 100_000_000n }],
    })?.unsigned;
    unsigned?.sign(wallet.secret);
    unsigned?.finalize();
    await world.other.mineOnly([unsigned?.hex ?? ""]);
    await world.other.mineOnly([]);
    await run();
    await run();
    expect((await wallet.batch()).state).toBe("open");
    // Its coins may be gone, so no further batch is formed.
    expect(dispatcher.state()?.blocked).toBe("transactions");
    await world.node.mine(3);
    await mend();
    await run();
    expect((await wallet.batch()).state).toBe("settled");
    expect(await world.received(to)).toEqual([amount]);
  });

  it("wait while one is away, and lose nothing", async () => {
    const { to, amount } = await wallet.accept();
    world.fronts[1].knobs.isAway = true;
    await expect(dispatcher.run(true)).rejects.toThrow("fewer than 2 nodes");
    expect(await world.store.batches.countDocuments({ wallet: wallet.chain.wallet })).toBe(0);
    world.fronts[1].knobs.isAway = false;
    await run();
    await mineOnBoth(2);
    await run();
    expect((await wallet.batch()).state).toBe("settled");
    expect(await world.received(to)).toEqual([amount]);
  });
});
