import type { Database } from "@disburse/chassis/mongo/database.ts";
import { freshKey } from "@disburse/rail/test-contract.ts";
import { intercepted, type Killed, killedAt } from "@disburse/testkit/intercept.ts";
import type { BankStore } from "./documents.ts";
import { openBankStore } from "./documents.ts";
import type { BankServer } from "./sending.ts";
import { passSending, swiftTransfer, testRail, testSettings, wednesday } from "./test-rail.ts";
import { createTestServer } from "./test-server.ts";

/**
 * Selects an operation, before or after which a process is killed. The operation is a database
 * write or an operation at the bank's server.
 */
/** All kills to test: one before and one after each operation of a process. */
export const kills: readonly Killed[] = Array.from({ length: 22 }, (_each, at) => at + 1).flatMap(
  (at) => [
    { at, when: "before" },
    { at, when: "after" },
  ],
);

const writes = ["updateOne", "insertOne", "updateMany", "bulkWrite", "insertMany"];

/** The stores and the bank's server of a process. */
type On = { readonly store: BankStore; readonly server: BankServer };

/** Creates a test bank, a clock, and processes with rails that a test can kill. */
export function createCrashBench(database: Database) {
  const store = openBankStore(database);
  let bank = createTestServer();
  let now = wednesday("12:00");
  const clock = {
    now: () => now,
    set: (time: Date): void => {
      now = time;
    },
  };
  const railOf = (on: On, refuses_duplicates = true) =>
    testRail(testSettings("iso20022", { refuses_duplicates, return_charges_max: "0.07" }), {
      ...{ ...on, now: clock.now },
    });
  const alive = (): On => ({ store, server: bank.server });
  return {
    store,
    clock,
    get bank() {
      return bank;
    },
    /** The parts of a process that is not killed. */
    alive,
    railOf,
    achOf: (on: On) =>
      testRail(testSettings("nacha", { refuses_duplicates: true }), { ...on, now: clock.now }),
    /** Resets the bank and the clock to noon. */
    begin: async (): Promise<void> => {
      await Promise.all(Object.values(store).map((each) => each.deleteMany({})));
      bank = createTestServer();
      now = wednesday("12:00");
    },
    /** Returns a process that stops before or after a given operation and does nothing more. */
    killable: (killed: Killed) => killableOn(store, bank, killed),
    submitAll: async (count: number): Promise<string[]> => {
      const { rail } = railOf(alive());
      const keys = Array.from({ length: count }, freshKey);
      for (const key of keys) await rail.submit(key, swiftTransfer);
      return keys;
    },
    /** Runs live processes until no work is open. Some minutes pass between two runs. */
    play: async (run: () => Promise<unknown>, rounds = 12): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        await run().catch(() => undefined);
        now = new Date(now.getTime() + 90_000);
        await passSending(store);
      }
    },
    /** Counts how often each payout is in a file that had a final name at the bank. */
    timesSent: (keys: readonly string[]): number[] => {
      // A bank that refuses duplicates stores each file once.
      const files = new Map(
        bank.sent().map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)]),
      );
      return keys.map((key) => {
        const reference = `<EndToEndId>${key.slice(3).toUpperCase()}</EndToEndId>`;
        return [...files.values()].filter((text) => text.includes(reference)).length;
      });
    },
  };
}

function killableOn(store: BankStore, bank: ReturnType<typeof createTestServer>, killed: Killed) {
  const { intercept, isDead } = killedAt(killed);
  const collection = <T extends object>(real: T): T => intercepted(real, writes, intercept);
  const stored = Object.fromEntries(
    Object.entries(store).map(([name, each]) => [name, collection(each)]),
  ) as BankStore;
  return { store: stored, server: bank.serverFor(intercept), isDead };
}
