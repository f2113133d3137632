import { silentLog } from "@disburse/chassis/log.ts";
import { intercepted, type Killed, killedAt } from "@disburse/testkit/intercept.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openSolanaChain, type SolanaChain } from "./chain.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { TransferStore } from "./documents.ts";
import { openKeystore } from "./keystore.ts";
import { createSolanaRail } from "./rail.ts";
import { storeTransfer } from "./store.ts";
import { openTestSolana, type TestSolana } from "./test-solana.ts";

let solana: TestSolana;
let chain: SolanaChain;
/** Sent transactions that no transfer has stored. */
let unstored: number;
let keyCount = 0;

beforeAll(async () => {
  solana = await openTestSolana("solana-crashes");
  const settings = solana.settingsOf();
  if (settings.signer.kind !== "keystore") throw new Error("no keystore");
  const signer = await openKeystore(settings.signer, settings.wallet);
  const calls = { log: silentLog, onNodeFailed: () => undefined };
  const opened = openSolanaChain(settings, signer, calls);
  await opened.check();
  const send = async (raw: Uint8Array) => {
    const stored = await solana.store.countDocuments({ "attempts.raw": Buffer.from(raw) });
    if (stored === 0) unstored += 1;
    await opened.send(raw);
  };
  chain = { ...opened, send };
});
afterAll(() => solana?.stop());
beforeEach(() => {
  unstored = 0;
});

/** Returns a process that is killed before or after an operation and then does nothing more. */
function killable(killed: Killed) {
  const { intercept, isDead } = killedAt(killed);
  const store: TransferStore = intercepted(solana.store, ["updateOne", "insertOne"], intercept);
  const send = (raw: Uint8Array) => intercept(() => chain.send(raw));
  return { store, chain: { ...chain, send }, isDead };
}

const dispatcher = (on: { readonly store: TransferStore; readonly chain: SolanaChain }) =>
  createDispatcher({
    ...on,
    clock: solana.clock,
    log: silentLog,
    unsettledMax: 2,
    isPaused: async () => false,
    onEvent: () => undefined,
  });

async function accept(count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, () => `po_${++keyCount}`);
  for (const key of keys) {
    const { currency, amount, accountNumber: to } = solana.transferOf(key);
    const order = { key, currency, amount, to };
    await storeTransfer(
      solana.store,
      chain.wallet,
      order,
      { state: "waiting" },
      solana.clock.now(),
    );
  }
  return keys;
}

/**
 * Runs transfers of which the first transactions get lost, expire and are signed again, and of which
 * one block leaves the chain, by processes that are killed.
 */
async function play(processes: readonly (() => Promise<void>)[]): Promise<void> {
  for (let round = 0; round < 24; round += 1) {
    for (const front of solana.fronts) front.set({ swallows: round < 3 });
    await Promise.allSettled(processes.map((run) => run()));
    // Every run of a minute must find the lost transactions expired.
    solana.after(30_000);
    solana.chain.mine();
    if (round === 2) solana.chain.mine(170);
    if (round === 5) solana.chain.fork(1);
    const isOver = (await solana.store.countDocuments({ open: { $exists: true } })) === 0;
    if (isOver && round > 5) return;
  }
}

async function expectAllPaidOnce(keys: readonly string[]): Promise<void> {
  expect(unstored).toBe(0);
  for (const key of keys) expect(await solana.stateOf(key)).toBe("settled");
  expect(await solana.contradictions(keys)).toEqual([]);
}

describe("matrix: Solana transfers of a process that is killed", () => {
  const operationsOfAll = 20;
  const kills = Array.from({ length: operationsOfAll }, (_each, at) => at + 1).flatMap((at) => [
    { at, when: "before" } as const,
    { at, when: "after" } as const,
  ]);

  it("are all paid once by the next one, wherever it was killed", async () => {
    let fired = 0;
    let signedAgain = 0;
    for (const killed of kills) {
      const keys = await accept(3);
      const first = killable(killed);
      const one = dispatcher(first);
      const other = dispatcher({ store: solana.store, chain });
      await play([() => (first.isDead() ? other.run(true) : one.run(true))]);
      if (first.isDead()) fired += 1;
      await expectAllPaidOnce(keys);
      const stored = await solana.store.find({ _id: { $in: keys } }).toArray();
      signedAgain += stored.filter(({ attempts }) => attempts.length > 1).length;
    }
    // The last operations of the table may come after everything is settled.
    expect(fired).toBeGreaterThan(operationsOfAll);
    expect(signedAgain).toBeGreaterThan(operationsOfAll);
  }, 240_000);

  it("are all paid once by several processes that work at the same time", async () => {
    const keys = await accept(4);
    const processes = [1, 2, 3].map(() => dispatcher({ store: solana.store, chain }));
    await play(processes.map((each) => () => each.run(true)));
    await expectAllPaidOnce(keys);
  });

  it("are paid once where a process stood still between signing and storing", async () => {
    const keys = await accept(1);
    const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: SolanaChain = {
      ...chain,
      sign: async (...given) => {
        const signed = await chain.sign(...given);
        reached.resolve();
        await held.promise;
        return signed;
      },
    };
    const stalled = dispatcher({ store: solana.store, chain: slow }).run(true);
    await reached.promise;
    const other = dispatcher({ store: solana.store, chain });
    await play([() => other.run(true)]);
    held.resolve();
    await stalled;
    solana.chain.mine(5);
    await expectAllPaidOnce(keys);
  });

  it("are either withdrawn or paid, never both", async () => {
    const states = new Set<string | undefined>();
    for (const isFirst of [true, false, true, false]) {
      const [key = ""] = await accept(1);
      const one = dispatcher({ store: solana.store, chain });
      const rail = createSolanaRail({
        name: "solana",
        wallet: chain.wallet,
        capabilities: {
          currencies: [],
          transferMethods: [],
          networks: ["SOLANA"],
          limits: {},
        },
        store: solana.store,
        dispatcher: one,
        clock: solana.clock,
        pollMs: 1,
        wake: () => undefined,
      });
      for (const front of solana.fronts) front.set({});
      const running = isFirst ? undefined : one.run(true);
      const isWithdrawn = await rail.withdraw?.(key);
      await running;
      await play([() => one.run(true)]);
      const state = await solana.stateOf(key);
      expect(state).toBe(isWithdrawn ? "withdrawn" : "settled");
      expect(await solana.contradictions([key])).toEqual([]);
      states.add(state);
    }
    expect(states).toContain("withdrawn");
  });
});
