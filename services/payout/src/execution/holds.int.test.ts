import { Code, type ConnectError } from "@connectrpc/connect";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { createLog } from "@disburse/chassis/log.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { unavailable } from "../test-neighbours.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { sweepAccounts } from "./holds.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

function execute(quoteId: string) {
  const mutation = platform.operation();
  return platform.rpc.executePayout({ mutation, merchantId, quoteId, referenceId: "order" });
}

/** A hold whose claim returned no response. */
async function orphan(accountId: string): Promise<string> {
  const quoteId = platform.quote(accountId);
  platform.faults.claim = () => {
    throw unavailable();
  };
  expect(await codeOf(execute(quoteId))).toBe("Unavailable");
  platform.faults.claim = () => undefined;
  return quoteId;
}

async function openHolds(accountId: string): Promise<number> {
  const found = await platform.ledger.accounts.findOne({ _id: accountId });
  return found?.open_holds.length ?? 0;
}

async function sweepLater(ms = 6_000) {
  platform.world.offsetMs = ms;
  await platform.sweep();
  platform.world.offsetMs = 0;
}

it("leaves a running execute alone, and keeps a hold open until its outcome is known", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = await orphan(accountId);
  await sweepLater(4_000);
  expect(platform.quotes.get(quoteId)?.claim).toBeUndefined();
  expect(await openHolds(accountId)).toBe(1);
  await sweepLater();
  expect(platform.quotes.get(quoteId)?.claim?.payoutId).toBe(derivedId("payout", quoteId));
  await sweepLater();
  expect(await openHolds(accountId)).toBe(0);
});

it("closes a hold whose payout exists without another claim", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = platform.quote(accountId);
  await execute(quoteId);
  expect(await openHolds(accountId)).toBe(1);
  let claims = 0;
  platform.faults.claim = () => {
    claims += 1;
  };
  await sweepLater();
  platform.faults.claim = () => undefined;
  expect(claims).toBe(0);
  expect(await openHolds(accountId)).toBe(0);
});

it("finds no hold open after a release", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = platform.quote(accountId);
  platform.faults.claim = () => {
    const quote = platform.quotes.get(quoteId);
    if (quote) quote.expiresAt = new Date(0);
  };
  expect(await codeOf(execute(quoteId))).toBe("QUOTE_EXPIRED");
  platform.faults.claim = () => undefined;
  expect(await openHolds(accountId)).toBe(0);
});

it("finishes a hold under its original request, like all later work on its payout", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const quoteId = await withCallContext({ requestId: "req-orphan" }, () => orphan(accountId));
  await sweepLater();
  const payoutId = derivedId("payout", quoteId);
  const stored = await platform.payouts.findOne({ _id: payoutId });
  expect(stored?.request_id).toBe("req-orphan");
  const pending = await platform.outbox.due(1_000);
  const event = pending.find(({ id }) => id === stored?.outbox[0]?.id);
  expect(event?.origin?.request_id).toBe("req-orphan");
});

it("logs the outcome of each orphaned hold", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const orphans: string[] = [];
  for (let at = 0; at < 3; at += 1) orphans.push(await orphan(accountId));
  const lines: string[] = [];
  const log = createLog("payout", "info", { write: (line) => void lines.push(line) });
  const sweep = async () => {
    platform.world.offsetMs = 6_000;
    await sweepAccounts({ ...platform.parts, log });
    platform.world.offsetMs = 0;
    const logged = lines.splice(0).map((line) => JSON.parse(line));
    return orphans.map((quoteId) => {
      const own = logged.filter((line) => line.payout_id === derivedId("payout", quoteId));
      return own.map(({ level, msg }) => `${level}: ${msg}`).join();
    });
  };
  platform.faults.claim = () => {
    throw unavailable();
  };
  const waits =
    "warn: orphaned hold not completed: the quote service is unavailable; it will be retried";
  expect(await sweep()).toEqual([waits, waits, waits]);
  platform.faults.claim = () => undefined;
  const [, expired = "", lost = ""] = orphans;
  platform.quotes.get(expired)!.expiresAt = new Date(0);
  platform.quotes.delete(lost);
  expect(await sweep()).toEqual([
    "warn: orphaned hold completed: its payout was created",
    "warn: orphaned hold released: its payout was refused",
    "error: completing an orphaned hold failed; it will be retried",
  ]);
});

it("is closed by the next write of its account, and by none of its own", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const write = vi.spyOn(platform.ledger.accounts, "updateOne");
  await platform.execute(accountId, "order");
  expect(write).toHaveBeenCalledTimes(1);
  expect(await openHolds(accountId)).toBe(1);
  await platform.execute(accountId, "order");
  expect(write).toHaveBeenCalledTimes(2);
  expect(await openHolds(accountId)).toBe(1);
  write.mockRestore();
});

it("tidies the other accounts although a movement of one was applied twice", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const other = await platform.fundedAccount(merchantId, "1.00");
  const { accounts } = platform.ledger;
  const read = async (_id: string) => (await accounts.findOne({ _id }))!;
  const credit = (await read(accountId)).recent[0]!;
  await vi.waitFor(async () => {
    expect(await platform.ledger.entries.findOne({ _id: credit.key })).not.toBeNull();
  }, 10_000);
  const forged = [{ ...credit, hash: "other" }];
  await accounts.updateOne({ _id: accountId }, { $set: { recent: forged } });
  platform.world.offsetMs = 6_000;
  const twice = expect.objectContaining({ message: `movement ${credit.key} was applied twice` });
  for (let run = 0; run < 2; run += 1) {
    await expect(sweepAccounts(platform.parts)).rejects.toMatchObject({ errors: [twice] });
  }
  platform.world.offsetMs = 0;
  expect(await read(other)).toMatchObject({ recent: [] });
  await accounts.deleteOne({ _id: accountId });
});
