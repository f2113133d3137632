import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { baseline } from "@disburse/chassis/mongo/migrations.ts";
import { parseAmount } from "@disburse/kernel/money.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { openAccount, openLedger } from "./accounts.ts";
import { ledgerIndexes } from "./indexes.ts";
import { tidyAccount, untidyAccounts } from "./tidy.ts";
import { quietMs } from "./writer.ts";

export type TestLedger = Awaited<ReturnType<typeof startTestLedger>>;

/** Opens a ledger on a real database. A test runs the sweep. */
export async function startTestLedger() {
  const database = await migratedDatabase("ledger", [baseline(1, ledgerIndexes)]);
  const ledger = openLedger(database);
  let operations = 0;
  const change = () =>
    ({ operationId: `op-${++operations}`, actor: { kind: "service", id: "test" } }) as const;
  /** Discards the events of credits. */
  const bus: Bus = {
    publish: async () => undefined,
    subscribe: async () => undefined,
    ready: () => true,
    stop: async () => undefined,
  };
  return {
    database,
    ledger,
    fundedAccount: async (merchantId: string, amountText: string, currency = "USD") => {
      const amount = parseAmount(amountText, currency);
      if (isRefused(amount)) throw new Error(`not an amount: ${amountText}`);
      const opening = { merchantId, currency, ...change() };
      const { id: accountId } = await openAccount(ledger, opening, new Date());
      const { operationId, actor } = change();
      const credit = { step: "credit", operationId, amount, note: "" } as const;
      await ledger.apply({ merchantId, accountId, actor }, credit);
      return accountId;
    },
    /** Tidies accounts as if they had had no movement for a while. No hold has a payout. */
    tidy: async () => {
      const now = new Date(Date.now() + quietMs + 1_000);
      // The second run follows the publication of the credits.
      for (let run = 0; run < 2; run += 1) {
        for await (const found of untidyAccounts(ledger, now)) {
          const tidying = { isCreated: () => false, now, bus };
          await Promise.all(found.map((account) => tidyAccount(ledger, account, tidying)));
        }
      }
    },
    stop: async () => {
      await database.db.dropDatabase();
      await database.close();
    },
  };
}
