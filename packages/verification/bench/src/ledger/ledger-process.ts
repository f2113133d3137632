/**
 * Runs only the ledger, behind HTTP. Each request holds and settles one transfer.
 * Runs in a forked process.
 */
import { createServer } from "node:http";
import type { Bus } from "@disburse/chassis/bus/bus.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { startLoop } from "@disburse/chassis/loop.ts";
import { connectDatabase } from "@disburse/chassis/mongo/database.ts";
import { baseline, migrateDatabase } from "@disburse/chassis/mongo/migrations.ts";
import { listenLocally } from "@disburse/harness/local-server.ts";
import { openAccount, openLedger } from "@disburse/ledger/accounts.ts";
import { ledgerIndexes } from "@disburse/ledger/indexes.ts";
import { tidyAccount, untidyAccounts } from "@disburse/ledger/tidy.ts";
import { runChild } from "../load/child.ts";

type Job = { readonly uri: string; readonly database: string; readonly accounts: number };

const sweepMs = 1_000;

const merchantId = "mer_bench";
const funds = 1_000_000_000_000n;
const amount = 500n;
const conversion = { destination: "USD", feesMinor: 10n, receivingMinor: 490n, exchangeRate: "1" };

/** Discards the events of the accounts' funding. */
const noBus: Bus = {
  publish: async () => undefined,
  subscribe: async () => undefined,
  ready: () => true,
  stop: async () => undefined,
};

async function serve({ uri, database: name, accounts }: Job): Promise<string> {
  const log = createLog("bench", "error");
  await migrateDatabase({ uri, name }, [baseline(1, ledgerIndexes)], log);
  const ledger = openLedger(await connectDatabase(uri, name));
  const ids = await Promise.all(Array.from({ length: accounts }, (_, at) => fund(at)));
  startLoop({ name: "account-sweep", everyMs: sweepMs, run: tidy, log });

  async function tidy(): Promise<boolean> {
    const tidying = { isCreated: () => true, now: new Date(), bus: noBus };
    for await (const found of untidyAccounts(ledger, tidying.now)) {
      await Promise.all(found.map((account) => tidyAccount(ledger, account, tidying)));
    }
    return false;
  }

  async function fund(at: number): Promise<string> {
    const operationId = `open-${at}`;
    const actor = { kind: "service", id: "bench" } as const;
    const opening = { merchantId, currency: "USD", operationId, actor };
    const { id } = await openAccount(ledger, opening, new Date());
    await apply(id, { step: "credit", operationId, amount: funds, note: "" });
    return id;
  }

  async function apply(accountId: string, movement: Parameters<typeof ledger.apply>[1]) {
    const { outcome } = await ledger.apply({ merchantId, accountId }, movement);
    if (outcome !== "applied")
      throw new Error(`the ledger did not apply a ${movement.step}; its outcome was ${outcome}`);
  }

  async function transfer(number: number): Promise<void> {
    const accountId = ids[number % ids.length] ?? "";
    const payoutId = `po_${number}`;
    await apply(accountId, { step: "hold", payoutId, amount, note: "" });
    ledger.closeHold(accountId, payoutId);
    await apply(accountId, { step: "post", payoutId, conversion, note: "" });
  }

  const server = createServer(async (request, response) => {
    const number = Number(request.url?.slice(1));
    const status = await transfer(number).then(
      () => 200,
      () => 500,
    );
    response.writeHead(status).end();
  });
  return `http://127.0.0.1:${await listenLocally(server)}`;
}

await runChild(serve);
