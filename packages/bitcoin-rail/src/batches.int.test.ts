import { findWallet } from "@disburse/chain-rail/wallet/store.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { bitcoindCommand } from "@disburse/testkit/bitcoin/bitcoind.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DispatchDeps } from "./dispatcher.ts";
import { storeCancel } from "./store.ts";
import { mainNetAddress, openTestBitcoin, type TestBitcoin } from "./test-bitcoin.ts";
import { outputsOf, planTransaction, readTransaction, spentCoins } from "./transaction.ts";
import { dustOf } from "./wallet-key.ts";
import { withdrawTransfer } from "./withdrawal.ts";

const found = await bitcoindCommand();
const skipped = "why" in found ? ` (skipped: ${found.why})` : "";

type Wallet = Awaited<ReturnType<TestBitcoin["wallet"]>>;

describe.skipIf("why" in found)(`batches on a real node${skipped}`, () => {
  let world: TestBitcoin;
  let wallet: Wallet;
  let dispatcher: ReturnType<Wallet["dispatcher"]>;

  beforeAll(async () => {
    world = await openTestBitcoin("command" in found ? found.command : []);
  });
  afterAll(() => world?.stop());
  beforeEach(async () => {
    for (const { knobs } of world.fronts) Object.assign(knobs, { lie: undefined, isAway: false });
    await open([1, 1, 1]);
  });

  const open = async (coins: readonly number[], change: Partial<DispatchDeps> = {}) => {
    wallet = await world.wallet(coins);
    dispatcher = wallet.dispatcher(change);
  };
  const accept: Wallet["accept"] = (...given) => wallet.accept(...given);
  const run = async (ms = 6_000) => {
    await dispatcher.run(true);
    world.after(ms);
  };
  const theBatch = () => wallet.batch();
  const received = async (to: string) => (await world.received(to))[0];
  const isPending = (id: string) =>
    world.node.rpc("getmempoolentry", [id]).then(
      () => true,
      () => false,
    );

  /** Pays a payee who spends the unconfirmed output. Returns the payment's id. */
  const paySpent = async (returned: number): Promise<string | undefined> => {
    const payee = await world.node.rpc<string>("getnewaddress");
    const { scriptPubKey } = await world.node.rpc<{ scriptPubKey: string }>("getaddressinfo", [
      payee,
    ]);
    await accept(50_000_000n, mainNetAddress(scriptPubKey));
    await run();
    const [first] = (await theBatch()).variants;
    const spent = await world.node.rpc<{ details: { address: string; vout: number }[] }>(
      "gettransaction",
      [first?.id],
    );
    const output = spent.details.find(({ address }) => address === payee)?.vout;
    const raw = await world.node.rpc<string>("createrawtransaction", [
      [{ txid: first?.id, vout: output }],
      [{ [world.node.payer]: returned }],
    ]);
    const { hex } = await world.node.rpc<{ hex: string }>("signrawtransactionwithwallet", [raw]);
    await world.node.rpc("sendrawtransaction", [hex, 0]);
    return first?.id;
  };

  it("pay many payouts by one transaction, and spend only coins that are final", async () => {
    const payouts = await Promise.all([1, 2, 3].map(() => accept()));
    await run();
    const [variant] = (await theBatch()).variants;
    expect(await isPending(variant?.id ?? "")).toBe(true);
    await world.node.mine(1);
    // The change is not final yet, and no payout spends it.
    await accept(299_000_000n);
    await run();
    const { _id: id } = await theBatch();
    await world.node.mine(1);
    await run();
    const batches = world.store.batches.find({ wallet: wallet.chain.wallet });
    const [first, second] = await batches.sort({ created_at: 1 }).toArray();
    expect(first).toMatchObject({ _id: id, state: "settled" });
    expect(second?.payouts).toHaveLength(1);
    for (const { to, amount } of payouts) expect(await received(to)).toBe(amount);
  });

  it("raise the fee: every variant spends the fixed coin and pays exactly the same", async () => {
    const payouts = await Promise.all([1, 2].map(() => accept()));
    await run();
    await run(61_000);
    await run(61_000);
    await run(61_000);
    const { variants, _id: fixed } = await theBatch();
    expect(variants.length).toBeGreaterThan(2);
    const transactions = variants.map(({ raw }) => readTransaction(raw.value()));
    for (const each of transactions) expect(spentCoins(each)).toContain(fixed);
    const rates = variants.map(({ fee, vsize }) => Number(fee.toString()) / vsize);
    expect(rates).toEqual(rates.toSorted((one, other) => one - other));
    // The first variant is mined, although the nodes prefer the last.
    await world.node.mineOnly([Buffer.from(variants[0]?.raw.value() ?? []).toString("hex")]);
    await world.node.mine(1);
    await run();
    expect(await theBatch()).toMatchObject({ state: "settled", end: { id: variants[0]?.id } });
    for (const { to, amount } of payouts) expect(await received(to)).toBe(amount);
    // Only the final variant's coins stay reserved, for a deep reorganisation.
    const reserved = (await findWallet(world.store, wallet.chain.wallet))?.reserved ?? [];
    const [spent] = transactions.slice(0, 1).map(spentCoins);
    expect(reserved.map(({ coin }) => coin).toSorted()).toEqual(spent?.toSorted());
  });

  it("wait at the bound of fees, and say so", async () => {
    dispatcher = wallet.dispatcher({ fees: { min: 1n, max: 3n, bumpAfterMs: 60_000 } });
    await accept();
    for (let bump = 0; bump < 6; bump += 1) await run(61_000);
    const { variants } = await theBatch();
    const last = variants.at(-1);
    expect(Number(last?.fee.toString()) / (last?.vsize ?? 1)).toBeLessThan(3.1);
    expect(dispatcher.state()?.isAtBound).toBe(true);
  });

  it("form none while the nodes' estimates exceed the bound", async () => {
    for (const { knobs } of world.fronts) {
      knobs.lie = (method) =>
        method === "estimatesmartfee" ? { feerate: 0.01, blocks: 6 } : undefined;
    }
    await accept();
    await run();
    expect(await world.store.batches.countDocuments({ wallet: wallet.chain.wallet })).toBe(0);
    expect(dispatcher.state()?.blocked).toBe("fees");
  });

  it("raise the fee by a child where a payee has spent its output", async () => {
    // The payee pays so much that a replacement would exceed the bound.
    const first = await paySpent(0.49);
    world.after(61_000);
    await run(61_000);
    expect((await theBatch()).variants.at(-1)?.refused).toBe(true);
    await run(61_000);
    const batch = await theBatch();
    expect(batch.children).toHaveLength(1);
    const [child] = batch.children;
    expect(child?.parent).toBe(first);
    expect(await isPending(child?.id ?? "")).toBe(true);
    expect(wallet.events).toContain("child");
    await world.node.mine(2);
    await run(16_000);
    await run(16_000);
    expect(await theBatch()).toMatchObject({ state: "settled", child_end: { id: child?.id } });
    // A further batch spends the child's output, which is final too.
    await accept();
    await run();
    const next = await world.store.batches.find({ wallet: wallet.chain.wallet }).toArray();
    expect(next).toHaveLength(2);
  });

  it("are cancelled by spending the fixed coin, and only when that is final", async () => {
    const { key, to } = await accept();
    await run();
    const { _id: id } = await theBatch();
    await storeCancel(world.store, id, { person: "ada", operation: "op", at: world.clock.now() });
    await run();
    const { variants } = await theBatch();
    expect(variants.map(({ cancels = false }) => cancels)).toEqual([false, true]);
    expect(await isPending(variants[0]?.id ?? "")).toBe(false);
    await world.node.mine(1);
    await run();
    const { chain } = wallet;
    expect(await withdrawTransfer(world.store, chain.wallet, key, world.clock.now())).toBe(false);
    expect((await theBatch()).state).toBe("open");
    await world.node.mine(1);
    await run();
    expect((await theBatch()).state).toBe("cancelled");
    expect(await withdrawTransfer(world.store, chain.wallet, key, world.clock.now())).toBe(true);
    expect(await received(to)).toBe(0n);
  });

  it("are cancelled at the bound of fees, after a refused payment and with a child", async () => {
    for (const { knobs } of world.fronts) {
      knobs.lie = (method) =>
        method === "estimatesmartfee" ? { feerate: 0.00001, blocks: 6 } : undefined;
    }
    dispatcher = wallet.dispatcher({ fees: { min: 1n, max: 4n, bumpAfterMs: 60_000 } });
    await paySpent(0.499996);
    world.after(61_000);
    await run(61_000);
    await run(61_000);
    const { _id: id, variants, children } = await theBatch();
    expect(variants.map(({ refused = false }) => refused)).toEqual([false, true]);
    expect(children).toHaveLength(1);
    await storeCancel(world.store, id, { person: "ada", operation: "op", at: world.clock.now() });
    const newest = async () => (await theBatch()).variants.at(-1);
    // It must also pay more than the payee's own transaction, of which the rail knows nothing.
    for (let raise = 0; raise < 6 && !(await isPending((await newest())?.id ?? "")); raise += 1) {
      await run(61_000);
      expect(await newest()).toMatchObject({ cancels: true });
    }
    await world.node.mine(2);
    await run();
    expect((await theBatch()).state).toBe("cancelled");
  });

  it("are cancelled with an ordinary fee where the coins do not cover a replacement", async () => {
    await open([0.0001], { fees: { min: 85n, max: 90n, bumpAfterMs: 60_000 } });
    const { to } = await accept(400n);
    await run();
    const { _id: id, variants } = await theBatch();
    const [payment] = variants;
    await storeCancel(world.store, id, { person: "ada", operation: "op", at: world.clock.now() });
    await run();
    expect(await isPending(payment?.id ?? "")).toBe(true);
    const cancelling = (await theBatch()).variants.at(-1);
    expect(cancelling).toMatchObject({ cancels: true });
    const [back] = outputsOf(readTransaction(cancelling?.raw.value() ?? new Uint8Array()));
    expect(back?.amount).toBeGreaterThanOrEqual(dustOf(wallet.key.script));
    // The nodes accept it after they have dropped the payment.
    await world.node.mineOnly([Buffer.from(cancelling?.raw.value() ?? []).toString("hex")]);
    await world.node.mine(1);
    await run();
    expect((await theBatch()).state).toBe("cancelled");
    expect(await received(to)).toBe(0n);
  });

  it("settle though they were cancelled, where the payment is final", async () => {
    const { to, amount } = await accept();
    await run();
    const { _id: id, variants } = await theBatch();
    await storeCancel(world.store, id, { person: "ada", operation: "op", at: world.clock.now() });
    await run();
    await world.node.mineOnly([Buffer.from(variants[0]?.raw.value() ?? []).toString("hex")]);
    await world.node.mine(1);
    await run();
    expect((await theBatch()).state).toBe("settled");
    expect(await received(to)).toBe(amount);
  });

  it("are put back by a reorganisation before they are final, and paid once", async () => {
    const { to, amount } = await accept();
    await run();
    const [variant] = (await theBatch()).variants;
    await world.node.mine(1);
    await run();
    await world.node.removeBlocks(1);
    await world.node.mineOnly([]);
    await run();
    expect((await theBatch()).state).toBe("open");
    await world.node.mine(2);
    await run();
    expect(await theBatch()).toMatchObject({ state: "settled", end: { id: variant?.id } });
    expect(await received(to)).toBe(amount);
  });

  it("pay once where both variants are mined on two sides of a reorganisation", async () => {
    const { to, amount } = await accept();
    await run();
    await run(61_000);
    await run(61_000);
    const [first, second] = (await theBatch()).variants.map(({ id, raw }) => {
      return { id, hex: Buffer.from(raw.value()).toString("hex") };
    });
    await world.node.mineOnly([first?.hex ?? ""]);
    await run();
    await world.node.removeBlocks(1);
    await world.node.mineOnly([second?.hex ?? ""]);
    // One node is still on the other side.
    world.fronts[1].knobs.lie = (method, [asked]) => {
      if (method !== "gettransaction") return undefined;
      if (asked === second?.id) return { confirmations: -1, hex: second?.hex };
      return { confirmations: 5, blockhash: "00", blockheight: 120, hex: first?.hex };
    };
    await world.node.mine(3);
    await run();
    expect((await theBatch()).state).toBe("open");
    world.fronts[1].knobs.lie = undefined;
    await run();
    expect(await theBatch()).toMatchObject({ state: "settled", end: { id: second?.id } });
    expect(await received(to)).toBe(amount);
  });

  it("raise a contradiction where a final transaction leaves the chain, and move nothing", async () => {
    const { to, amount } = await accept();
    await run();
    await world.node.mine(2);
    await run();
    const settled = await theBatch();
    expect(settled.state).toBe("settled");
    await world.node.removeBlocks(2);
    await world.node.mineOnly([]);
    await world.node.mineOnly([]);
    await run(16_000);
    await run(16_000);
    const gone = await theBatch();
    expect(gone).toMatchObject({ state: "settled", end: { id: settled.end?.id } });
    expect(gone.reorganised_at).toBeDefined();
    expect(wallet.events).toContain("reorganised");
    await world.node.mine(7);
    await run(16_000);
    await run(16_000);
    expect(await theBatch()).toMatchObject({ kept: true });
    expect((await theBatch()).open).toBeUndefined();
    expect((await findWallet(world.store, wallet.chain.wallet))?.reserved).toEqual([]);
    expect(await received(to)).toBe(amount);
  });

  it("send an evicted transaction again as it is", async () => {
    await accept();
    await run();
    const { variants } = await theBatch();
    const id = variants[0]?.id ?? "";
    // A block with another spend of the coin evicts it. Then the block is removed.
    const outside = await foreignSpend((await theBatch())._id);
    await world.node.mineOnly([outside]);
    expect(await isPending(id)).toBe(false);
    await world.node.removeBlocks(1);
    await world.node.mineOnly([]);
    await run();
    await run();
    expect((await theBatch()).variants).toEqual(variants);
    expect(await isPending(id)).toBe(true);
  });

  it("block the wallet and become unclear where its key was used outside", async () => {
    const { key } = await accept();
    await run();
    const { _id: fixed, variants } = await theBatch();
    const outside = await foreignSpend(fixed);
    await world.node.mineOnly([outside]);
    await world.node.mine(1);
    await run();
    await run();
    expect(dispatcher.state()?.blocked).toBe("transactions");
    expect(await theBatch()).toMatchObject({ state: "unclear" });
    expect((await theBatch()).variants).toEqual(variants);
    const reply = await world.store.transfers.findOne({ _id: key });
    expect(reply?.state).toBe("batched");
    // No further batch until operators have checked the transaction.
    await accept();
    await run();
    expect(await world.store.batches.countDocuments({ wallet: wallet.chain.wallet })).toBe(1);
    const id = readTransaction(Uint8Array.from(Buffer.from(outside, "hex"))).id;
    dispatcher = wallet.dispatcher({ knownTransactions: [id] });
    await run();
    expect(dispatcher.state()?.blocked).toBeUndefined();
    expect(await world.store.batches.countDocuments({ wallet: wallet.chain.wallet })).toBe(2);
  });

  it("are not paid again by a database that is older than the chain", async () => {
    const { key, to, amount } = await accept();
    await run();
    await world.node.mine(2);
    await run();
    // The restored backup still has the transfer waiting.
    await world.store.batches.deleteMany({ wallet: wallet.chain.wallet });
    await world.store.wallets.updateOne(
      { _id: wallet.chain.wallet },
      { $set: { reserved: [], forming: null } },
    );
    await world.store.transfers.updateOne(
      { _id: key },
      { $set: { state: "waiting", open: wallet.chain.wallet }, $unset: { batch: "" } },
    );
    for (let again = 0; again < 3; again += 1) {
      await run();
      await world.node.mine(1);
    }
    expect(dispatcher.state()?.blocked).toBe("transactions");
    expect(await received(to)).toBe(amount);
  });

  /** Signs a transaction with the wallet's key that this rail does not know. */
  const foreignSpend = async (coin: string): Promise<string> => {
    const amounts = (await findWallet(world.store, wallet.chain.wallet))?.reserved ?? [];
    const stored = amounts.find((each) => each.coin === coin);
    const amount = stored === undefined ? 0n : fromDecimal128(stored.amount);
    const unsigned = planTransaction(wallet.key, {
      ...{ payouts: [], required: [{ id: coin, amount }], candidates: [], rate: 9n },
    })?.unsigned;
    unsigned?.sign(wallet.secret);
    unsigned?.finalize();
    return unsigned?.hex ?? "";
  };
});
