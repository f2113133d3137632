import { bitcoindCommand } from "@disburse/testkit/bitcoin/bitcoind.ts";
import { intercepted, type Killed, killedAt } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acceptTransfer, storeCancel } from "./store.ts";
import { freshKeys, openTestBitcoin, type TestBitcoin } from "./test-bitcoin.ts";

type Wallet = Awaited<ReturnType<TestBitcoin["wallet"]>>;

const found = await bitcoindCommand();
const skipped = "why" in found ? ` (skipped: ${found.why})` : "";
/** Processes have at most this many operations in a play. */
const operationsMax = 40;
const roundsMax = 14;

describe.skipIf("why" in found)(
  `matrix: Bitcoin batches of a process that is killed${skipped}`,
  () => {
    let world: TestBitcoin;
    let plays = 0;

    beforeAll(async () => {
      world = await openTestBitcoin("command" in found ? found.command : []);
    });
    afterAll(() => world?.stop());

    /** Returns a process that is killed before or after an operation and then does nothing more. */
    const killable = (wallet: Wallet, killed: Killed) => {
      const { intercept, isDead } = killedAt(killed);
      const collection = <T extends object>(real: T): T =>
        intercepted(real, ["updateOne", "updateMany", "insertOne"], intercept);
      const { store } = world;
      const dispatcher = wallet.dispatcher({
        store: {
          wallets: collection(store.wallets),
          transfers: collection(store.transfers),
          batches: collection(store.batches),
        },
        chain: { ...wallet.chain, send: (raw) => intercept(() => wallet.chain.send(raw)) },
      });
      return { run: () => dispatcher.run(true), isDead };
    };

    /** Pays three payouts with a rise of fees and a reorganisation, by a process that is killed. */
    const play = async (
      killed: Killed,
      atRound: (round: number, wallet: Wallet) => Promise<void>,
    ) => {
      plays += 1;
      const wallet = await world.wallet([1, 1]);
      const { wallet: name } = wallet.chain;
      const payouts = [1, 2, 3].map((at) => {
        const to = freshKeys().segwit;
        return { key: `po_crash_${plays}_${at}`, to, amount: 100_000n + BigInt(at) };
      });
      for (const { key, to, amount } of payouts) {
        await acceptTransfer(world.store, key, name, { to, amount }, world.clock.now());
      }
      const first = killable(wallet, killed);
      const other = wallet.dispatcher();
      for (let round = 0; round < roundsMax; round += 1) {
        await atRound(round, wallet);
        await Promise.allSettled([first.isDead() ? other.run(true) : first.run()]);
        world.after(round === 1 ? 61_000 : 16_000);
        if (round === 4) {
          await world.node.removeBlocks(1);
          await world.node.mineOnly([]);
        }
        // No block at first, so that the fee rises.
        if (round > 2) await world.node.mine(1);
      }
      return { payouts, name, wasKilled: first.isDead() };
    };

    const stored = async (name: string) => {
      const batches = await world.store.batches.find({ wallet: name }).toArray();
      const transfers = await world.store.transfers.find({ wallet: name }).toArray();
      const stateOf = (key: string) =>
        batches
          .filter((each) => each.payouts.some((payout) => payout.key === key))
          .map(({ state }) => state);
      return { batches, transfers, stateOf };
    };

    /** Every transaction of the wallet on the chain is stored. */
    const expectAllStored = async (name: string, walletNumber: string) => {
      const sent = await world.node.rpc<{ transactions: { txid: string; category: string }[] }>(
        "listsinceblock",
        ["", 1, true, false, true],
        walletNumber,
      );
      const { batches } = await stored(name);
      const ids = new Set(batches.flatMap(({ transactions }) => transactions));
      for (const { txid, category } of sent.transactions) {
        if (category === "send") expect(ids).toContain(txid);
      }
    };

    const kills = Array.from({ length: operationsMax }, (_each, at) => at + 1).flatMap((at) => [
      { at, when: "before" } as const,
      { at, when: "after" } as const,
    ]);

    it("are all paid once by the next one, wherever it was killed", async () => {
      let fired = 0;
      for (const killed of kills) {
        const { payouts, name, wasKilled } = await play(killed, async () => undefined);
        if (wasKilled) fired += 1;
        const { stateOf, batches } = await stored(name);
        for (const { key } of payouts) expect(stateOf(key)).toEqual(["settled"]);
        expect(await world.received(...payouts.map(({ to }) => to))).toEqual(
          payouts.map(({ amount }) => amount),
        );
        expect(batches.every(({ open }) => open === undefined)).toBe(true);
        await expectAllStored(name, `w${plays}`);
        expect((await world.store.wallets.findOne({ _id: name }))?.reserved).toEqual([]);
      }
      // The last operations of the table may come after everything is settled.
      expect(fired).toBeGreaterThan(20);
    });

    it("are paid once, or not at all where they were cancelled", async () => {
      const states = new Set<string>();
      // A kill after one operation equals a kill before the next.
      for (const killed of kills.filter(({ when }) => when === "after")) {
        const { payouts, name } = await play(killed, async (round, wallet) => {
          if (round !== 2) return;
          const [batch] = await world.store.batches.find({ wallet: wallet.chain.wallet }).toArray();
          const at = world.clock.now();
          const cancel = { person: "ada", operation: "op", at };
          if (batch !== undefined) await storeCancel(world.store, batch._id, cancel);
        });
        const { stateOf } = await stored(name);
        const amounts = await world.received(...payouts.map(({ to }) => to));
        for (const [at, { key, amount }] of payouts.entries()) {
          const [state, ...others] = stateOf(key);
          expect(others).toEqual([]);
          expect(["settled", "cancelled"]).toContain(state);
          expect(amounts[at]).toBe(state === "settled" ? amount : 0n);
          states.add(state ?? "");
        }
        await expectAllStored(name, `w${plays}`);
      }
      expect(states).toContain("cancelled");
    });

    it("are all paid once by several processes that work at the same time", async () => {
      plays += 1;
      const wallet = await world.wallet([1, 1, 1, 1]);
      const tos = Array.from({ length: 12 }, () => freshKeys().segwit);
      const processes = [1, 2, 3].map(() =>
        wallet.dispatcher({ batches: { afterMs: 0, payoutsMax: 4 } }),
      );
      for (const [at, to] of tos.entries()) {
        const key = `po_crash_${plays}_${at}`;
        const order = { to, amount: 50_000n };
        await acceptTransfer(world.store, key, wallet.chain.wallet, order, world.clock.now());
        await Promise.allSettled(processes.map((each) => each.run(true)));
        world.after(16_000);
        await world.node.mine(1);
      }
      for (let round = 0; round < 4; round += 1) {
        await Promise.allSettled(processes.map((each) => each.run(true)));
        world.after(16_000);
        await world.node.mine(2);
      }
      expect(await world.received(...tos)).toEqual(tos.map(() => 50_000n));
      await expectAllStored(wallet.chain.wallet, `w${plays}`);
    });
  },
);
