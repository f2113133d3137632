import { fromBinary } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, type ConnectError } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import {
  PayoutCause,
  PayoutOrderBy,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { derivedId, eventId } from "@disburse/kernel/id.ts";
import { openLedger } from "@disburse/ledger/accounts.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ExecuteRequest, executePayout } from "../execution/execute.ts";
import { openWaitingPayouts } from "../orders/document.ts";
import { heldOutbox } from "../orders/events.ts";
import { executeOrder, orderLeaseMs } from "../orders/execute-order.ts";
import { leaseInLine } from "../orders/waiting-store.ts";
import { isCreated } from "../payouts/document.ts";
import { openPayouts } from "../payouts/store.ts";
import { dyingAt } from "../test-dying.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openVelocityLimits } from "../velocity/limits.ts";
import { createVelocityReservations } from "../velocity/reservations.ts";
import { openUsage } from "../velocity/usage.ts";
import { heldWait, waitingOutbox } from "./events.ts";
import { executeOrWait } from "./queue.ts";
import { runWaiting } from "./worker.ts";

const merchantId = "mer_1";
const hourMs = 3_600_000;
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "5.00");
});
afterEach(async () => {
  Object.assign(platform.world, {
    screening: ScreeningStatus.CLEARED,
    quoting: {},
    offsetMs: 0,
  });
  Object.assign(platform.faults, { claim: () => undefined, afterClaim: () => undefined });
  const { waiting, orders, payouts, batches, lines } = platform;
  await Promise.all([waiting, orders, payouts, batches, lines].map((each) => each.deleteMany({})));
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

const asked = (change: object = {}) => ({
  mutation: platform.operation(),
  merchantId,
  quoteId: platform.quote(accountId),
  referenceId: "rent",
  queueIfLowBalance: true,
  ...change,
});

const execute = (change: object = {}) => platform.rpc.executePayout(asked(change));
const queued = async (change: object = {}) => (await execute(change)).payoutId;
const run = () => platform.loops.run("waiting-payouts");
const cancel = (payoutId: string) =>
  platform.rpc.cancelPayout({ mutation: platform.operation(), merchantId, payoutId });

const topUp = (amount = "100.00") =>
  platform.rpc.creditAccount({ mutation: platform.operation(), merchantId, accountId, amount });

const read = async (payoutId: string) => {
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
  if (payout === undefined) throw new Error("none was read");
  const { status, subStatus, failureCode } = payout;
  const shown = [enumName(PayoutStatus, status), enumName(PayoutSubStatus, subStatus), failureCode];
  return { ...payout, words: shown.join(" ").trim() };
};
const wordsOf = async (payoutId: string) => (await read(payoutId)).words;

const balance = async () => {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return { available: account?.available, held: account?.held };
};
/** Schedules a payout whose maximum is reserved. */
async function reserved(amount: string, at: Date): Promise<string> {
  const { scheduledPayout } = await platform.ordersRpc.schedulePayout({
    ...{ mutation: platform.operation(), merchantId, accountId, beneficiaryId: "ben_1" },
    ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD", receivingAmount: amount },
    ...{ maxSourceAmount: amount, reserve: true, scheduledAt: at.toISOString() },
  });
  return scheduledPayout?.id ?? "";
}
/** Lets the rail pay all payouts. */
async function settle() {
  await platform.after(60_000);
  await platform.after(60_000);
}
const made = () => platform.payouts.countDocuments({ account_id: accountId, ...isCreated });

/** Sets a payout's time of expiry to the past. */
async function expire(id: string) {
  const at = new Date(Date.now() - 1_000);
  await platform.waiting.updateOne({ _id: id }, { $set: { "balance.expires_at": at, due_at: at } });
}

const waitsFor = "initiated awaiting_balance";

describe("an execute with too little money", () => {
  it("is refused without the option, and its quote stays open", async () => {
    const quoteId = platform.quote(accountId);
    const code = await codeOf(execute({ quoteId, queueIfLowBalance: false }));
    expect(code).toBe("INSUFFICIENT_BALANCE");
    expect(await platform.waiting.countDocuments()).toBe(0);
    await topUp();
    expect(await codeOf(execute({ quoteId, queueIfLowBalance: false }))).toBe("OK");
  });

  it("waits with the option, holds nothing, and is paid under its id when money comes", async () => {
    const quoteId = platform.quote(accountId);
    const answer = await execute({ quoteId, metadata: { order: "7" } });
    const payoutId = derivedId("payout", quoteId);
    expect(answer).toMatchObject({
      ...{ payoutId, maxSourceAmount: "10.00" },
      subStatus: PayoutSubStatus.AWAITING_BALANCE,
    });
    const waits = await read(payoutId);
    expect(waits).toMatchObject({
      ...{ words: waitsFor, quoteId, sourceAmount: "10.00", referenceId: "rent", version: 1 },
      ...{ metadata: { order: "7" }, maxSourceAmount: "10.00", beneficiaryName: "Ada Lovelace" },
    });
    const lasts = Number(waits.expiresAt?.seconds) - Number(waits.createdAt?.seconds);
    // The time counts from the request, which came shortly before the record.
    expect([24 * 3_600, 24 * 3_600 - 1]).toContain(lasts);
    expect(await balance()).toEqual({ available: "5.00", held: "0.00" });
    await run();
    expect(await wordsOf(payoutId)).toBe(waitsFor);
    await topUp("5.00");
    await run();
    expect(await balance()).toEqual({ available: "0.00", held: "10.00" });
    const paid = await read(payoutId);
    expect(paid).toMatchObject({ words: "initiated queued", version: 2, metadata: { order: "7" } });
    expect(paid.createdAt).toEqual(waits.createdAt);
    expect(paid.quoteId).not.toBe(quoteId);
    await settle();
    expect(await read(payoutId)).toMatchObject({ words: "succeeded settled", version: 3 });
    expect(await balance()).toEqual({ available: "0.00", held: "0.00" });
    expect(await made()).toBe(1);
  });

  it("is answered the same again, before and after it is paid; another request is not", async () => {
    const request = asked();
    const { payoutId } = await platform.rpc.executePayout(request);
    expect((await platform.rpc.executePayout(request)).payoutId).toBe(payoutId);
    const other = { ...request, mutation: platform.operation() };
    expect(await codeOf(platform.rpc.executePayout(other))).toBe("ALREADY_PROCESSED");
    const plain = { ...other, queueIfLowBalance: false };
    expect(await codeOf(platform.rpc.executePayout(plain))).toBe("ALREADY_PROCESSED");
    const changed = { ...request, referenceId: "other" };
    expect(await codeOf(platform.rpc.executePayout(changed))).toBe("INVALID_REQUEST");
    const reused = { ...request, quoteId: platform.quote(accountId) };
    expect(await codeOf(platform.rpc.executePayout(reused))).toBe("INVALID_REQUEST");
    await topUp();
    await run();
    expect(await platform.rpc.executePayout(request)).toMatchObject({
      ...{ payoutId, subStatus: PayoutSubStatus.UNSPECIFIED },
    });
    expect(await codeOf(platform.rpc.executePayout(other))).toBe("ALREADY_PROCESSED");
    const { quoteId } = await read(payoutId);
    const internal = { mutation: platform.operation(), merchantId, quoteId, referenceId: "rent" };
    expect(await codeOf(platform.rpc.executePayout(internal))).toBe("ALREADY_PROCESSED");
    expect(await made()).toBe(1);
    expect(await balance()).toEqual({ available: "95.00", held: "10.00" });
  });

  it("is paid at once if the balance covers it", async () => {
    await topUp();
    const answer = await execute();
    expect(answer.subStatus).toBe(PayoutSubStatus.UNSPECIFIED);
    expect(await wordsOf(answer.payoutId)).toBe("initiated queued");
    expect(await platform.waiting.countDocuments()).toBe(0);
  });

  it.each([
    ["a maximum without the option", { queueIfLowBalance: false, maxSourceAmount: "20.00" }],
    ["a time without the option", { queueIfLowBalance: false, expiresAt: "2036-01-01" }],
    ["a maximum below the quote", { maxSourceAmount: "9.99" }],
    ["too many decimals", { maxSourceAmount: "20.001" }],
    ["a time that is past", { expiresAt: "2020-01-01" }],
    ["a time too far ahead", { expiresAt: new Date(Date.now() + 169 * hourMs).toISOString() }],
  ])("is refused with %s", async (_what, change) => {
    expect(await codeOf(execute(change))).toBe("INVALID_REQUEST");
    expect(await platform.waiting.countDocuments()).toBe(0);
  });

  it("does not wait for another refusal", async () => {
    platform.world.screening = ScreeningStatus.BLOCKED;
    expect(await codeOf(execute())).toBe("ACCESS_FORBIDDEN");
    const quoteId = platform.quote(accountId, { expiresAt: new Date(0) });
    platform.world.screening = ScreeningStatus.CLEARED;
    expect(await codeOf(execute({ quoteId }))).toBe("QUOTE_EXPIRED");
    expect(await platform.waiting.countDocuments()).toBe(0);
  });
});

describe("a waiting payout", () => {
  it("is quoted only when its account has its price", async () => {
    await queued();
    const before = platform.quotes.size;
    await topUp("4.99");
    await run();
    expect(platform.quotes.size).toBe(before);
    const document = await platform.waiting.findOne({});
    await run();
    expect(await platform.waiting.findOne({})).toEqual(document);
  });

  it("is paid after the older ones of its account, even if only it would fit", async () => {
    const [first, second] = [await queued(), await queued({ quoteId: small() })];
    await topUp("4.00");
    await run();
    expect([await wordsOf(first), await wordsOf(second)]).toEqual([waitsFor, waitsFor]);
    await topUp("1.00");
    await run();
    expect([await wordsOf(first), await wordsOf(second)]).toEqual(["initiated queued", waitsFor]);
    await topUp("8.00");
    await run();
    expect(await wordsOf(second)).toBe("initiated queued");
  });

  const small = () => platform.quote(accountId, { amount: "8.00" });

  it("waits for a price within its maximum, and lets the next one pass", async () => {
    const dear = await queued({ maxSourceAmount: "12.00" });
    platform.world.quoting = { cost: "12.01" };
    await topUp("6.00");
    await run();
    expect(await wordsOf(dear)).toBe(waitsFor);
    platform.world.quoting = {};
    const next = await queued({ quoteId: platform.quote(accountId, { amount: "11.50" }) });
    await topUp("9.00");
    await run();
    expect([await wordsOf(dear), await wordsOf(next)]).toEqual([waitsFor, "initiated queued"]);
    await topUp("10.00");
    await makeDue(dear);
    platform.world.quoting = { cost: "12.00" };
    await run();
    expect(await read(dear)).toMatchObject({ words: "initiated queued", sourceAmount: "12.00" });
  });

  it("fails with its last reason when it expires, and nothing waits on", async () => {
    const dear = await queued();
    platform.world.quoting = { cost: "10.01" };
    await topUp("5.50");
    await run();
    platform.world.quoting = {};
    await platform.execute(accountId, "other");
    const short = await queued();
    expect(await wordsOf(dear)).toBe(waitsFor);
    for (const id of [short, dear]) await expire(id);
    await run();
    expect(await wordsOf(dear)).toBe("failed rejected COST_ABOVE_MAXIMUM");
    expect(await wordsOf(short)).toBe("failed rejected INSUFFICIENT_BALANCE");
    expect((await read(short)).failureMessage).not.toBe("");
    await topUp();
    await run();
    expect(await made()).toBe(1);
  });

  it("waits for the screening of its beneficiary", async () => {
    const id = await queued();
    await topUp();
    platform.world.screening = ScreeningStatus.PENDING;
    await run();
    expect(await wordsOf(id)).toBe(waitsFor);
    platform.world.screening = ScreeningStatus.CLEARED;
    await makeDue(id);
    await run();
    expect(await wordsOf(id)).toBe("initiated queued");
  });

  it("fails with every other refusal of its execution", async () => {
    const id = await queued();
    await topUp();
    platform.world.quoting = { refusal: "CORRIDOR_NOT_ACTIVE" };
    await run();
    expect(await wordsOf(id)).toBe("failed rejected CORRIDOR_NOT_ACTIVE");
    expect(await codeOf(cancel(id))).toBe("NOT_CANCELLABLE");
  });

  it("gets another quote if its own expired between hold and claim", async () => {
    const id = await queued();
    await topUp();
    platform.faults.claim = () => {
      for (const quote of platform.quotes.values()) {
        if (quote.operationId === `${id}.2`) quote.expiresAt = new Date(0);
      }
    };
    await run();
    expect(await balance()).toEqual({ available: "105.00", held: "0.00" });
    expect(await wordsOf(id)).toBe(waitsFor);
    platform.faults.claim = () => undefined;
    await makeDue(id);
    await run();
    expect(await wordsOf(id)).toBe("initiated queued");
    expect(await balance()).toEqual({ available: "95.00", held: "10.00" });
    await settle();
    const { entries } = await platform.rpc.listEntries({ merchantId, accountId, payoutId: id });
    const steps = entries.map(({ payoutId }) => payoutId);
    expect(steps).toEqual([id, id, id, id]);
    expect(await balance()).toEqual({ available: "95.00", held: "0.00" });
  });

  it("is cancelled while it waits, and is never paid", async () => {
    const id = await queued();
    const { payout } = await cancel(id);
    expect(payout?.subStatus).toBe(PayoutSubStatus.CANCELLED);
    await cancel(id);
    await topUp();
    await run();
    expect(await wordsOf(id)).toBe("failed cancelled CANCELLED");
    expect(await made()).toBe(0);
    expect(await codeOf(cancel("po_none"))).toBe("RECORD_NOT_FOUND");
  });

  it("is cancelled with its quote, whose held money is released", async () => {
    const id = await queued();
    await topUp();
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await run();
    expect((await balance()).held).toBe("10.00");
    platform.faults.claim = () => undefined;
    await cancel(id);
    platform.world.offsetMs = 6_000;
    await platform.sweep();
    await run();
    expect(await balance()).toEqual({ available: "105.00", held: "0.00" });
    expect([await wordsOf(id), await made()]).toEqual(["failed cancelled CANCELLED", 0]);
  });

  it("is cancelled after it was paid like any payout", async () => {
    const id = await queued();
    await topUp();
    await run();
    await cancel(id);
    expect(await wordsOf(id)).toBe("failed cancelled CANCELLED");
    expect(await balance()).toEqual({ available: "105.00", held: "0.00" });
  });

  it.each(["cancelled", "failed", "paid for less"])(
    "is paid with money that a scheduled payout had reserved which was %s",
    async (how) => {
      const at = new Date(Date.now() + hourMs);
      const scheduledPayoutId = await reserved("5.00", at);
      const id = await queued({ quoteId: platform.quote(accountId, { amount: "3.00" }) });
      await run();
      expect(await wordsOf(id)).toBe(waitsFor);
      if (how === "cancelled") {
        const own = { merchantId, scheduledPayoutId };
        await platform.ordersRpc.cancelScheduledPayout({ mutation: platform.operation(), ...own });
      } else {
        platform.world.quoting =
          how === "failed" ? { refusal: "CORRIDOR_NOT_ACTIVE" } : { cost: "2.00" };
        const due = { due_at: new Date(0), scheduled_at: new Date(0) };
        await platform.orders.updateOne({ _id: scheduledPayoutId }, { $set: due });
        await platform.loops.run("orders");
        platform.world.quoting = {};
      }
      // No credit has woken the worker: its next run finds the money.
      await run();
      expect(await wordsOf(id)).toBe("initiated queued");
    },
  );

  it("fails at once when its account is closed, like the next one of the account", async () => {
    const ids = [await queued(), await queued()];
    await platform.rpc.executePayout(
      asked({ quoteId: platform.quote(accountId, { amount: "5.00" }), queueIfLowBalance: false }),
    );
    await platform.rpc.closeAccount({ mutation: platform.operation(), merchantId, accountId });
    await run();
    const words = await Promise.all(ids.map(wordsOf));
    expect(words).toEqual(ids.map(() => "failed rejected SOURCE_ACCOUNT_CLOSED"));
    expect(await balance()).toEqual({ available: "0.00", held: "5.00" });
  });

  it("is its merchant's own", async () => {
    const payoutId = await queued();
    const foreign = { merchantId: "mer_2", payoutId };
    expect(await codeOf(platform.rpc.getPayout(foreign))).toBe("RECORD_NOT_FOUND");
    const cancelling = { ...foreign, mutation: platform.operation() };
    expect(await codeOf(platform.rpc.cancelPayout(cancelling))).toBe("RECORD_NOT_FOUND");
  });
});

async function makeDue(id: string) {
  const due = { $set: { due_at: new Date(Date.now() - 1_000) } };
  await platform.waiting.updateOne({ _id: id, state: "waiting" }, due);
}

describe("reads of waiting payouts", () => {
  const list = (filter: object = {}) =>
    platform.rpc.listPayouts({ merchantId, limit: 100, ...filter });
  const ids = async (filter: object = {}) => (await list(filter)).payouts.map(({ id }) => id);

  it("lists them with payouts, newest first, by page and by filter", async () => {
    const first = await queued({ referenceId: "first", metadata: { order: "7" } });
    const failed = await queued();
    await cancel(failed);
    await topUp("8.00");
    const paid = await platform.execute(accountId, "paid");
    const last = await queued();
    const all = [last, paid, failed, first];
    await expect.poll(ids, { timeout: 3_000 }).toEqual(all);
    const paged: string[] = [];
    for (let cursor = ""; ; ) {
      const page = await list({ limit: 1, cursor });
      paged.push(...page.payouts.map(({ id }) => id));
      cursor = page.nextCursor;
      if (cursor === "") break;
    }
    expect(paged).toEqual(all);
    const subStatus = PayoutSubStatus.AWAITING_BALANCE;
    expect(await ids({ subStatus })).toEqual([last, first]);
    expect((await list({ subStatus })).totalCount).toBe(2n);
    expect(await ids({ status: PayoutStatus.FAILED })).toEqual([failed]);
    expect(await ids({ status: PayoutStatus.SUCCEEDED })).toEqual([]);
    expect(await ids({ subStatus: PayoutSubStatus.QUEUED })).toEqual([paid]);
    expect(await ids({ referenceId: "first" })).toEqual([first]);
    expect(await ids({ metadata: { order: "7" } })).toEqual([first]);
    expect(await ids({ beneficiaryName: "ada lovelace" })).toEqual(all);
    expect(await ids({ beneficiaryId: "ben_2" })).toEqual([]);
    expect(await ids({ batchId: "bat_1" })).toEqual([]);
    const amounts = { sourceCurrencyCode: "USD", amountFrom: "10.01" };
    expect(await ids(amounts)).toEqual([]);
    expect(await ids({ failureCode: "CANCELLED" })).toEqual([failed]);
    expect(await ids({ failureCode: "INSUFFICIENT_BALANCE" })).toEqual([]);
    expect(await ids({ accountId })).toEqual(all);
    expect(await ids({ accountId: "acc_other" })).toEqual([]);
    expect(await ids({ orderBy: PayoutOrderBy.OLDEST })).toEqual(all.toReversed());
    const large = await queued({ quoteId: platform.quote(accountId, { amount: "11.00" }) });
    const lowest = { orderBy: PayoutOrderBy.LOWEST, sourceCurrencyCode: "USD", limit: 2 };
    const first2 = await list(lowest);
    const rest = await list({ ...lowest, limit: 100, cursor: first2.nextCursor });
    const sorted = [...first2.payouts, ...rest.payouts].map(({ id }) => id);
    expect(sorted).toEqual([...all, large]);
  });

  it("shows their timeline, which continues in the payout's", async () => {
    const [payoutId, failed] = [await queued(), await queued()];
    await cancel(failed);
    const events = async (id: string) => {
      const page = await platform.rpc.listPayoutEvents({ merchantId, payoutId: id });
      return page.events.map(({ cause, version }) => `${enumName(PayoutCause, cause)} ${version}`);
    };
    expect(await events(payoutId)).toEqual(["awaiting_balance 1"]);
    expect(await events(failed)).toEqual(["awaiting_balance 1", "cancelled 2"]);
    await topUp();
    await run();
    expect(await events(payoutId)).toEqual(["awaiting_balance 1", "executed 2"]);
  });

  it("publishes an event for the wait and for its end", async () => {
    const payoutId = await queued();
    const outbox = waitingOutbox(platform.waiting, platform.parts.clock);
    const due = async () => {
      const messages = await outbox.due(100);
      const shown = messages.map(({ id, key, body }) => {
        const { eventId, payout } = fromBinary(PayoutStatusChangedSchema, body);
        expect(eventId).toBe(id);
        const subStatus = enumName(PayoutSubStatus, payout?.subStatus ?? 0);
        return [id, key, payout?.id, payout?.version, subStatus, payout?.beneficiaryName];
      });
      return { messages, shown };
    };
    const name = payoutId.slice("po_".length);
    const first = [`evt_${name}_1`, "payout.initiated", payoutId, 1, "awaiting_balance", ""];
    expect((await due()).shown).toEqual([first]);
    await cancel(payoutId);
    const both = await due();
    const second = [`evt_${name}_2`, "payout.failed", payoutId, 2, "cancelled", ""];
    expect(both.shown).toEqual([first, second]);
    await outbox.published(both.messages);
    expect((await due()).shown).toEqual([]);
  });

  it("publishes lost events again, also of a payout that was paid", async () => {
    const from = timestampFromDate(new Date());
    const [paid, cancelled, pending] = [await queued(), await queued(), await queued()];
    const outbox = waitingOutbox(platform.waiting, platform.parts.clock);
    const messages = (await outbox.due(10)).filter(({ id }) => !id.includes(pending.slice(3)));
    await outbox.published(messages);
    await topUp("5.00");
    await run();
    await cancel(cancelled);
    const later = (await outbox.due(10)).filter(({ id }) => id.includes(cancelled.slice(3)));
    expect(later).toHaveLength(1);
    await outbox.published(later);
    await platform.outbox.published(await platform.outbox.due(100));
    const to = timestampFromDate(new Date(Date.now() + 1_000));
    const versions = new Map<string, number[]>();
    for (let cursor = "", limit = 1; ; ) {
      const page = await platform.operatorRpc.listPublishedPayouts({ from, to, limit, cursor });
      for (const each of page.payouts) {
        const known = versions.get(each.payoutId) ?? [];
        versions.set(each.payoutId, [...known, ...each.versions].toSorted());
      }
      cursor = page.nextCursor;
      if (cursor === "") break;
    }
    expect([paid, cancelled, pending].map((id) => versions.get(id))).toEqual([
      ...[[1, 2], [1, 2], undefined],
    ]);
    const eventIds = [paid, cancelled, pending].flatMap((id) => [eventId(id, 1), eventId(id, 2)]);
    const { events } = await platform.operatorRpc.republishPayoutEvents({ eventIds });
    const bodies = new Map(events.map((each) => [each.eventId, Buffer.from(each.body)]));
    expect([...bodies.keys()].toSorted()).toEqual(
      [paid, cancelled].flatMap((id) => [eventId(id, 1), eventId(id, 2)]).toSorted(),
    );
    for (const { id, body } of [...messages, ...later]) {
      expect(bodies.get(id)).toEqual(Buffer.from(body));
    }
  });
});

describe("a worker that resumes after its lease", () => {
  const lease = async (id: string) => {
    const leased = await leaseInLine(platform.waiting, id, orderLeaseMs);
    if (leased === undefined) throw new Error("nothing was leased");
    return leased;
  };
  const own = () => ({ ...platform.parts, orders: platform.waiting });

  it("pays nothing that was cancelled, has failed or was paid", async () => {
    const ids = [await queued(), await queued(), await queued()];
    const late = await Promise.all(ids.map(lease));
    const [cancelled = "", failed = "", paid = ""] = ids;
    await topUp();
    await cancel(cancelled);
    await expire(failed);
    await makeDue(paid);
    await run();
    for (const each of late) await executeOrder(own(), each);
    const words = await Promise.all(ids.map(wordsOf));
    expect(words).toEqual([
      ...["failed cancelled CANCELLED", "failed rejected INSUFFICIENT_BALANCE"],
      "initiated queued",
    ]);
    expect([await made(), await balance()]).toEqual([1, { available: "95.00", held: "10.00" }]);
  });

  it("holds the money of its attempt beside a later one, and gives it back", async () => {
    const id = await queued();
    await topUp();
    const late = await lease(id);
    const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { quote } = platform.parts;
    const getClaimableQuote: typeof quote.getClaimableQuote = async (...args) => {
      const answer = await quote.getClaimableQuote(...args);
      reached.resolve();
      await going.promise;
      return answer;
    };
    const slow = executeOrder({ ...own(), quote: { ...quote, getClaimableQuote } }, late);
    await reached.promise;
    for (const each of platform.quotes.values()) {
      if (each.operationId === `${id}.2`) each.expiresAt = new Date(0);
    }
    await makeDue(id);
    await run();
    await makeDue(id);
    await run();
    expect(await wordsOf(id)).toBe("initiated queued");
    going.resolve();
    await slow;
    expect([await made(), await balance()]).toEqual([1, { available: "95.00", held: "10.00" }]);
    await settle();
    expect(await balance()).toEqual({ available: "95.00", held: "0.00" });
  });
});

describe("waiting payouts of a revoked key", () => {
  const by = (id: string) => ({
    mutation: {
      operationId: platform.operation().operationId,
      actor: { kind: Actor_Kind.API_KEY, id },
    },
    merchantId,
  });

  it("are held, and continue after another actor has approved them", async () => {
    const [approved, rejected] = [await queued(by("key_1")), await queued(by("key_1"))];
    await platform.ordersRpc.stopOrders({ ...by("admin"), actorId: "key_1" });
    await topUp();
    await run();
    expect(await wordsOf(approved)).toBe("initiated awaiting_approval");
    const approve = (id: string) => platform.rpc.approvePayout({ ...by(id), payoutId: approved });
    expect(await codeOf(approve("key_1"))).toBe("ACCESS_FORBIDDEN");
    const { digest = "" } = (await read(approved)).approval ?? {};
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const other = { ...by("key_2"), payoutId: approved, digest: `${digest.slice(1)}0` };
    expect(await codeOf(platform.rpc.approvePayout(other))).toBe("STATE_NOT_REACHABLE");
    expect(await codeOf(platform.rpc.approvePayout({ ...other, digest }))).toBe("OK");
    const reject = { ...by("key_2"), payoutId: rejected, reason: "a leak" };
    expect(await codeOf(platform.rpc.rejectPayout(reject))).toBe("OK");
    const { payouts } = await platform.rpc.listPayouts({ merchantId });
    const listed = payouts.find(({ id }) => id === rejected);
    expect(listed?.decidedBy).toMatchObject({ kind: Actor_Kind.API_KEY, id: "key_2" });
    await run();
    expect(await wordsOf(approved)).toBe("initiated queued");
    expect(await wordsOf(rejected)).toBe("failed cancelled APPROVAL_REJECTED");
  });

  it("are announced to approvers once for each hold, and are in their queue", async () => {
    const payoutId = await queued(by("key_1"));
    const stop = (actorId: string) => platform.ordersRpc.stopOrders({ ...by("admin"), actorId });
    await stop("key_1");
    await stop("key_1");
    const asked = { merchantId, limit: 10, subStatus: PayoutSubStatus.AWAITING_APPROVAL };
    const { payouts } = await platform.rpc.listPayouts(asked);
    expect(payouts.map(({ id }) => id)).toEqual([payoutId]);
    const { approval } = await read(payoutId);
    const outbox = heldOutbox(platform.waiting, heldWait);
    const [message, ...others] = await outbox.due(10);
    if (message === undefined || approval?.expiresAt === undefined) throw new Error("no event");
    const event = fromBinary(OptInEventSchema, message.body);
    expect(event).toMatchObject({
      ...{ transactionType: "payout.approval_required", transactionId: payoutId, merchantId },
      ...{ eventId: message.id, status: "awaiting_approval", sequence: 1n },
    });
    expect(JSON.parse(event.dataJson)).toEqual({
      ...{ id: payoutId, status: "awaiting_approval", merchant_id: merchantId, reasons: [] },
      ...{ reference_id: "rent", beneficiary_id: "ben_1", digest: approval.digest },
      ...{ source_currency_code: "USD", source_amount: 10 },
      ...{ destination_currency_code: "USD", receiving_amount: 10 },
      expires_at: timestampDate(approval.expiresAt).toISOString(),
      created_at: expect.stringMatching(/Z$/),
      created_by: { id: "key_1", type: "api_key", name: "" },
    });
    expect(others).toEqual([]);
    await outbox.published([message]);
    expect(await outbox.due(10)).toEqual([]);
    await platform.rpc.approvePayout({ ...by("key_2"), payoutId });
    await stop("key_2");
    const [second] = await outbox.due(10);
    expect([message.id, second?.id].map((id) => id?.split("_").at(-1))).toEqual(["held1", "held2"]);
  });
});

/** No run has more steps. A write that fails by a duplicate key is a step at which none dies after. */
const stepsMax = 32;

/** The parts of a process that dies at a step. */
async function dyingProcess(step: number) {
  const process = dyingAt(step);
  const database = process.database(platform.database);
  const velocity = await openVelocityLimits(platform.database);
  const parts = {
    ...platform.parts,
    ledger: openLedger(database),
    payouts: openPayouts(database),
    reservations: createVelocityReservations(velocity, platform.controls, openUsage(database)),
    waiting: openWaitingPayouts(database),
    quote: process.calls(platform.parts.quote),
  };
  return { hasDied: process.hasDied, parts };
}

/** Runs the sweeps and workers of another process, after the leases of the one that died. */
async function recover(id: string) {
  platform.world.offsetMs = 6_000;
  await platform.sweep();
  platform.world.offsetMs = 0;
  await makeDue(id);
  await run();
}

it("a worker that dies at any step leaves exactly one payout", async () => {
  let died = 0;
  for (let step = 0; step < stepsMax; step += 1) {
    accountId = await platform.fundedAccount(merchantId, "5.00");
    const id = await queued();
    await topUp("95.00");
    const dying = await dyingProcess(step);
    await runWaiting(dying.parts).catch(() => undefined);
    died += Number(dying.hasDied());
    await recover(id);
    expect(await wordsOf(id), `step ${step}`).toBe("initiated queued");
    expect(await made(), `step ${step}`).toBe(1);
    expect(await balance(), `step ${step}`).toEqual({ available: "90.00", held: "10.00" });
  }
  expect(died).toBeGreaterThan(12);
});

it("an execute that dies at any step is refused or waits after its repeat, and pays once", async () => {
  let died = 0;
  for (let step = 0; step < stepsMax; step += 1) {
    accountId = await platform.fundedAccount(merchantId, "5.00");
    const request = asked();
    const id = derivedId("payout", request.quoteId);
    const dying = await dyingProcess(step);
    const details = { referenceId: "rent", remittanceInformation: "", purposeCode: "" };
    const { operationId } = request.mutation;
    const actor = { kind: "service", id: "gateway" } as const;
    const executing = {
      ...{ merchantId, quoteId: request.quoteId, operationId, actor, content: "content" },
      ...{ details, allowDuplicate: false },
    };
    const queueing = { queueIfLowBalance: true, maxSourceAmount: "", expiresAt: "" };
    const execution = executeOrWait(dying.parts, executing, queueing);
    await execution.catch(() => undefined);
    died += Number(dying.hasDied());
    // Without a repeat, the worker leaves no record that is never read.
    if (step % 3 === 0) await recover(id);
    const repeated = await executeOrWait(platform.parts, executing, queueing);
    expect(repeated, `step ${step}`).toMatchObject({ payoutId: id });
    expect(await wordsOf(id), `step ${step}`).toBe(waitsFor);
    await topUp("95.00");
    await recover(id);
    expect(await wordsOf(id), `step ${step}`).toBe("initiated queued");
    expect(await made(), `step ${step}`).toBe(1);
    expect(await balance(), `step ${step}`).toEqual({ available: "90.00", held: "10.00" });
  }
  expect(died).toBeGreaterThan(8);
});

describe("an execute whose quote is claimed before it waits", () => {
  /** Executes a quote that `claimFirst` claims when the payout is about to wait. */
  async function race(claimFirst: (request: ExecuteRequest) => Promise<unknown>) {
    const { merchantId: owner, quoteId } = asked();
    const { quote } = platform.parts;
    const request: ExecuteRequest = {
      merchantId: owner,
      quoteId,
      actor: { kind: "service", id: "gateway" },
      content: "content",
      details: { referenceId: "rent", remittanceInformation: "", purposeCode: "" },
      operationId: "raced",
      allowDuplicate: false,
    };
    const expireQuote: typeof quote.expireQuote = async (...args) => {
      await topUp();
      await claimFirst(request);
      return quote.expireQuote(...args);
    };
    const racing = { ...platform.parts, quote: { ...quote, expireQuote } };
    const queueing = { queueIfLowBalance: true, maxSourceAmount: "", expiresAt: "" };
    const result = await executeOrWait(racing, request, queueing);
    const id = derivedId("payout", quoteId);
    expect(await wordsOf(id)).toBe("initiated queued");
    expect(await platform.waiting.countDocuments()).toBe(0);
    expect(await made()).toBe(1);
    return { id, result };
  }

  it("is refused after another operation", async () => {
    const { result } = await race((request) =>
      executePayout(platform.parts, { ...request, operationId: "other" }),
    );
    expect(result).toMatchObject({ refused: "ALREADY_PROCESSED" });
  });

  it("returns the payout of another attempt of its own operation", async () => {
    const { id, result } = await race((request) => executePayout(platform.parts, request));
    expect(result).toEqual({ payoutId: id });
  });
});
