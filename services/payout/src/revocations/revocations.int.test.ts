import { fromBinary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { BatchLineState, BatchState } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { RevokedOrders } from "@disburse/contracts/disburse/type/v1/revocation_pb.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { batchOutbox } from "../batches/events.ts";
import { runBatch, runDueBatch } from "../batches/runner.ts";
import { leaseDueBatch } from "../batches/store.ts";
import { approveOrder } from "../orders/decide.ts";
import { toOrder } from "../orders/document.ts";
import { heldOutbox, heldSchedule } from "../orders/events.ts";
import { executeOrder, orderLeaseMs } from "../orders/execute-order.ts";
import { holdOrders } from "../orders/held-store.ts";
import { leaseDueOrder, unbindQuote } from "../orders/store.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { stopOrders } from "./stop-orders.ts";

const merchantId = "mer_1";
const hourMs = 3_600_000;
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "100.00");
});
afterEach(async () => {
  Object.assign(platform.world, { offsetMs: 0, screening: ScreeningStatus.CLEARED });
  Object.assign(platform.faults, { claim: () => undefined, afterClaim: () => undefined });
  const { orders, batches, lines, payouts } = platform;
  await Promise.all([orders, batches, lines, payouts].map((each) => each.deleteMany({})));
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => {
      const { code, reason } = readRefusal(error) ?? { code: Code[(error as ConnectError).code] };
      return reason === undefined ? code : `${code} ${reason}`;
    },
  );

const by = (id: string, root = "") => ({
  mutation: {
    operationId: platform.operation().operationId,
    actor: { kind: Actor_Kind.API_KEY, id, root },
  },
  merchantId,
});

const terms = () => ({
  ...{ accountId, beneficiaryId: "ben_1", sourceAmount: "10.00", referenceId: "rent" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD" },
});

async function schedule(key: string): Promise<string> {
  const scheduledAt = new Date(Date.now() + 60_000).toISOString();
  const asked = { ...by(key), ...terms(), scheduledAt };
  return (await platform.ordersRpc.schedulePayout(asked)).scheduledPayout?.id ?? "";
}

const stop = async (actorId: string, orders: RevokedOrders = RevokedOrders.HOLD) => {
  const asked = { ...by("key_admin"), actorId, orders };
  const { scheduledPayouts, batches } = await platform.ordersRpc.stopOrders(asked);
  return { orders: scheduledPayouts?.ids, batches: batches?.ids };
};

const read = async (id: string) => {
  const asked = { merchantId, scheduledPayoutId: id };
  const { scheduledPayout } = await platform.ordersRpc.getScheduledPayout(asked);
  if (scheduledPayout === undefined) throw new Error("none was read");
  const { status, subStatus, failureCode, approval } = scheduledPayout;
  const shown = [enumName(PayoutStatus, status), enumName(PayoutSubStatus, subStatus), failureCode];
  return { words: shown.join(" ").trim(), approval: enumName(ApprovalState, approval?.state ?? 0) };
};

const approve = (id: string, who: Pick<ReturnType<typeof by>, "mutation"> = by("key_2")) =>
  platform.ordersRpc.approveScheduledPayout({ ...who, merchantId, scheduledPayoutId: id });
const reject = (id: string, who = by("key_2")) =>
  platform.ordersRpc.rejectScheduledPayout({ ...who, scheduledPayoutId: id, reason: "a leak" });

async function makeDue(id: string) {
  const at = new Date(Date.now() - 1_000);
  const due = { scheduled_at: at, due_at: at };
  await platform.orders.updateOne({ _id: id, state: "waiting" }, { $set: due });
}
const runWhenDue = async (id: string) => {
  await makeDue(id);
  await platform.loops.run("orders");
};
async function lease(id: string) {
  await makeDue(id);
  const leased = await leaseDueOrder(platform.orders, new Date(), orderLeaseMs);
  if (leased === undefined) throw new Error("nothing was leased");
  return leased;
}
/** Counts this test's payouts. The sweep restores those of other tests from their holds. */
const payoutsMade = () => platform.payouts.countDocuments({ account_id: accountId });
const held = { words: "initiated awaiting_approval", approval: "waiting" };

describe("a scheduled payout whose key was revoked", () => {
  it("is held, and created after an actor of another root has approved it", async () => {
    const [id, other] = [await schedule("key_1"), await schedule("key_2")];
    expect(await stop("key_1")).toEqual({ orders: [id], batches: [] });
    await runWhenDue(id);
    expect(await read(id)).toMatchObject(held);
    expect((await read(other)).words).toBe("initiated scheduled");
    expect(await codeOf(approve(id, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await codeOf(approve(id, by("key_5", "key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    const foreign = { ...by("key_2"), merchantId: "mer_2", scheduledPayoutId: id };
    expect(await codeOf(platform.ordersRpc.approveScheduledPayout(foreign))).toBe(
      "RECORD_NOT_FOUND",
    );
    const decision = by("key_2");
    expect(await codeOf(approve(id, decision))).toBe("OK");
    expect(await codeOf(approve(id, decision))).toBe("OK");
    expect(await codeOf(approve(id))).toBe("NOT_AWAITING_APPROVAL");
    await runWhenDue(id);
    expect(await read(id)).toMatchObject({ words: "initiated queued", approval: "approved" });
    expect(await payoutsMade()).toBe(1);
  });

  it("is approved only as its approver has read it", async () => {
    const id = await schedule("key_1");
    await stop("key_1");
    const digestNow = async () => {
      const found = { merchantId, scheduledPayoutId: id };
      const { scheduledPayout } = await platform.ordersRpc.getScheduledPayout(found);
      return scheduledPayout?.approval?.digest ?? "";
    };
    const approveAs = (digest: string) =>
      codeOf(
        platform.ordersRpc.approveScheduledPayout({
          ...by("key_2"),
          ...{ scheduledPayoutId: id, digest },
        }),
      );
    const digest = await digestNow();
    const document = await platform.orders.findOne({ _id: id });
    if (document === null) throw new Error("no order");
    const changes = {
      ...{ beneficiary_id: "ben_2", account_id: "acc_2", destination: "INR", fixed: "receiving" },
      ...{ amount_minor: toDecimal128(1_001n), max_source_minor: toDecimal128(9_000n) },
      ...{ scheduled_at: new Date(0), reserve: true, allow_duplicate: true },
      details: { ...document.details, reference_id: "other" },
    };
    for (const [field, value] of Object.entries(changes)) {
      await platform.orders.updateOne({ _id: id }, { $set: { [field]: value } });
      expect([field, await approveAs(digest)]).toEqual([field, "STATE_NOT_REACHABLE"]);
      await platform.orders.replaceOne({ _id: id }, document);
    }
    expect((await read(id)).words).toBe(held.words);
    expect(await digestNow()).toBe(digest);
    expect(await approveAs("x".repeat(65))).toBe("INVALID_REQUEST");
    expect(await approveAs(digest)).toBe("OK");
    expect((await read(id)).approval).toBe("approved");
  });

  it("is not paid by a worker that read it before, not even once it is approved", async () => {
    const id = await schedule("key_1");
    const leased = await lease(id);
    await stop("key_1");
    await executeOrder(platform.parts, leased);
    expect([await read(id), await payoutsMade()]).toMatchObject([held, 0]);
    await approve(id);
    await executeOrder(platform.parts, leased);
    expect(await payoutsMade()).toBe(0);
    await runWhenDue(id);
    expect(await payoutsMade()).toBe(1);
  });

  it("is held if its bound quote can still expire; its money is released", async () => {
    const id = await schedule("key_1");
    const leased = await lease(id);
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await executeOrder(platform.parts, leased);
    platform.faults.claim = () => undefined;
    expect((await stop("key_1")).orders).toEqual([id]);
    await executeOrder(platform.parts, leased);
    platform.world.offsetMs = 6_000;
    await platform.sweep();
    expect([await read(id), await payoutsMade()]).toMatchObject([held, 0]);
    const { account } = await platform.rpc.getAccount({ merchantId, accountId });
    expect(account).toMatchObject({ available: "100.00", held: "0.00" });
    await approve(id);
    platform.world.offsetMs = 0;
    await runWhenDue(id);
    expect([(await read(id)).words, await payoutsMade()]).toEqual(["initiated queued", 1]);
  });

  it("is held if a worker unbinds its quote while the revocation expires it", async () => {
    const id = await schedule("key_1");
    const leased = await lease(id);
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await executeOrder(platform.parts, leased);
    platform.faults.claim = () => undefined;
    const { quote } = platform.parts;
    const ending = {
      ...quote,
      expireQuote: async (request: Parameters<typeof quote.expireQuote>[0]) => {
        const answer = await quote.expireQuote(request);
        const document = await platform.orders.findOne({ _id: id });
        if (document?.quote !== undefined) {
          await unbindQuote(platform.orders, { order: toOrder(document), lease: leased.lease });
        }
        return answer;
      },
    };
    const stopped = { merchantId, actorId: "key_1", createdIds: [], createdBefore: undefined };
    await stopOrders(
      { ...platform.parts, quote: ending, wakeRunner: () => undefined },
      stopped,
      "hold",
    );
    expect(await read(id)).toMatchObject(held);
    await runWhenDue(id);
    expect(await payoutsMade()).toBe(0);
  });

  it("continues if its quote is claimed: the payout exists or will be created", async () => {
    const id = await schedule("key_1");
    const leased = await lease(id);
    platform.faults.afterClaim = () => {
      throw new Error("away");
    };
    await executeOrder(platform.parts, leased);
    platform.faults.afterClaim = () => undefined;
    expect((await stop("key_1")).orders).toEqual([]);
    await platform.orders.updateOne({ _id: id }, { $set: { due_at: new Date(0) } });
    await platform.loops.run("orders");
    expect([(await read(id)).words, await payoutsMade()]).toEqual(["initiated queued", 1]);
  });

  it("fails when no one decides within the approval time after its own", async () => {
    const id = await schedule("key_1");
    await stop("key_1");
    await platform.loops.run("orders");
    expect(await read(id)).toMatchObject(held);
    const document = await platform.orders.findOne({ _id: id });
    const lasts = Number(document?.held?.expires_at) - Number(document?.scheduled_at);
    expect(lasts).toBe(24 * hourMs);
    // The process's clock alone doesn't fail it: only the database's does.
    platform.world.offsetMs = 48 * hourMs;
    await platform.loops.run("orders");
    expect(await read(id)).toMatchObject(held);
    const past = new Date(Date.now() - 1);
    const expired = { due_at: past, "held.expires_at": past };
    await platform.orders.updateOne({ _id: id }, { $set: expired });
    expect(await codeOf(approve(id))).toBe("NOT_AWAITING_APPROVAL");
    await platform.loops.run("orders");
    expect(await read(id)).toEqual({
      ...{ words: "failed rejected APPROVAL_EXPIRED", approval: "expired" },
    });
    expect(await payoutsMade()).toBe(0);
  });

  it("waits for a screening from its approval on, however long it was held", async () => {
    const id = await schedule("key_1");
    await stop("key_1");
    await approve(id);
    const at = new Date(Date.now() - 25 * hourMs);
    const due = { scheduled_at: at, due_at: at };
    await platform.orders.updateOne({ _id: id, state: "waiting" }, { $set: due });
    platform.world.screening = ScreeningStatus.PENDING;
    await platform.loops.run("orders");
    expect((await read(id)).words).toBe("initiated scheduled");
  });

  it("is rejected by another actor, or cancelled by anyone", async () => {
    const [rejected, cancelled] = [await schedule("key_1"), await schedule("key_1")];
    await stop("key_1");
    expect(await codeOf(reject(rejected, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await codeOf(reject(rejected))).toBe("OK");
    const asked = { ...by("key_1"), scheduledPayoutId: cancelled };
    expect(await codeOf(platform.ordersRpc.cancelScheduledPayout(asked))).toBe("OK");
    expect(await read(rejected)).toEqual({
      ...{ words: "failed cancelled APPROVAL_REJECTED", approval: "rejected" },
    });
    expect(await read(cancelled)).toEqual({ words: "failed cancelled", approval: "cancelled" });
    expect(await codeOf(approve(cancelled))).toBe("NOT_AWAITING_APPROVAL");
    await platform.loops.run("orders");
    expect(await payoutsMade()).toBe(0);
  });

  it("stays approved when its hold is repeated, and is held again with its approver", async () => {
    const id = await schedule("key_1");
    await stop("key_1");
    await approve(id);
    expect((await stop("key_1")).orders).toEqual([]);
    expect((await read(id)).words).toBe("initiated scheduled");
    expect((await stop("key_2", RevokedOrders.CANCEL)).orders).toEqual([id]);
    expect(await read(id)).toMatchObject(held);
    expect(await codeOf(approve(id, by("key_3")))).toBe("OK");
  });

  it("is kept or cancelled on request", async () => {
    const ids = [await schedule("key_1"), await schedule("key_1")];
    expect((await stop("key_1", RevokedOrders.KEEP)).orders).toEqual(ids);
    expect((await read(ids[0] ?? "")).words).toBe("initiated scheduled");
    await stop("key_1");
    await approve(ids[0] ?? "");
    for (const _repeat of [1, 2]) {
      expect((await stop("key_1", RevokedOrders.CANCEL)).orders).toEqual(ids);
    }
    for (const id of ids) expect((await read(id)).words).toMatch(/^failed cancelled/);
  });

  it("doesn't expire if it is held again during an approval", async () => {
    const id = await schedule("key_1");
    await stop("key_1");
    const heldAgain = intercepted(platform.orders, ["updateOne"], async (proceed) => {
      const updated = await proceed();
      await holdOrders(platform.orders, { _id: id }, { stoppedFor: "key_2", lastsMs: hourMs });
      return updated;
    });
    const change = { operationId: platform.operation().operationId };
    const actor = { kind: "api_key", id: "key_2" } as const;
    const approving = approveOrder(heldAgain, { id, merchantId, digest: "" }, { ...change, actor });
    expect(await codeOf(approving.then((decided) => expect(decided).toBe("thrown")))).toBe(
      "Unavailable",
    );
    expect(await read(id)).toMatchObject(held);
    expect(await codeOf(approve(id, by("key_3")))).toBe("OK");
  });

  it("has an event for each hold, and is listed", async () => {
    const id = await schedule("key_1");
    await stop("key_1");
    const list = { merchantId, subStatus: PayoutSubStatus.AWAITING_APPROVAL };
    const page = await platform.ordersRpc.listScheduledPayouts(list);
    expect(page.scheduledPayouts.map((each) => each.id)).toEqual([id]);
    const outbox = heldOutbox(platform.orders, heldSchedule);
    const first = await outbox.due(10);
    expect(first).toHaveLength(1);
    const event = fromBinary(OptInEventSchema, first[0]?.body ?? new Uint8Array());
    expect(event).toMatchObject({
      ...{ transactionType: "scheduled_payout.approval_required", transactionId: id },
      ...{ merchantId, status: "awaiting_approval", eventId: first[0]?.id },
    });
    expect(JSON.parse(event.dataJson)).toMatchObject({
      id,
      source_amount: 10,
      reference_id: "rent",
    });
    await outbox.published(first);
    expect(await outbox.due(10)).toEqual([]);
    await approve(id);
    await stop("key_2");
    expect((await outbox.due(10)).map((each) => each.id)).not.toEqual(first.map(({ id }) => id));
  });
});

describe("a batch whose key was revoked", () => {
  const batchDeps = () => ({
    ...platform.parts,
    ...{ orders: platform.lines, isStopping: () => false },
  });
  const make = async (count: number, key = "key_1") => {
    const lines = Array.from({ length: count }, terms);
    const { batch } = await platform.ordersRpc.createBatch({ ...by(key), lines });
    return batch?.id ?? "";
  };
  const approveBatch = (batchId: string, key: string) =>
    platform.ordersRpc.approveBatch({ ...by(key), batchId, maxTotalAmount: "90.00" });
  const readBatch = async (batchId: string) => {
    const { batch } = await platform.ordersRpc.getBatch({ merchantId, batchId });
    if (batch === undefined) throw new Error("no batch");
    const { executedCount, failedCount, cancelledCount, waitingCount } = batch;
    return {
      state: enumName(BatchState, batch.state),
      approval: enumName(ApprovalState, batch.approval?.state ?? 0),
      counts: [waitingCount, executedCount, failedCount, cancelledCount],
    };
  };
  const linesOf = async (batchId: string) => {
    const { lines } = await platform.ordersRpc.listBatchLines({ merchantId, batchId });
    return lines.map(
      ({ state, subStatus, failureCode }) =>
        `${enumName(BatchLineState, state)} ${enumName(PayoutSubStatus, subStatus)} ${failureCode}`,
    );
  };

  /** A batch that is held after the payout of its first line. */
  async function heldInTheMiddle(orders: RevokedOrders = RevokedOrders.HOLD) {
    const batchId = await make(2);
    await approveBatch(batchId, "key_1");
    const leased = await leaseDueBatch(platform.batches, new Date(), 20_000);
    if (leased === undefined) throw new Error("no batch is due");
    const second = { batch_id: batchId, line: 2 };
    // The first line is executed and the second one read before the hold; the second begins after
    // it.
    await platform.lines.updateOne(second, { $set: { state: "cancelled" } });
    await runBatch({ ...batchDeps(), batches: withoutEnd() }, leased);
    await platform.lines.updateOne(second, { $set: { state: "waiting", lease: leased.lease } });
    const [document] = await platform.lines.find(second).toArray();
    const stopped = await stop("key_1", orders);
    return { batchId, leased, document, stopped };
  }
  /** The batches of a runner that is killed before it finishes one. */
  const withoutEnd = () =>
    intercepted(platform.batches, ["updateOne"], async () => ({ matchedCount: 0 }));

  it("awaits another actor before it is approved, and is not run by its own", async () => {
    const batchId = await make(2);
    expect(await stop("key_1")).toEqual({ orders: [], batches: [batchId] });
    expect(await codeOf(approveBatch(batchId, "key_1"))).toBe("ACCESS_FORBIDDEN same_actor");
    const waiting = "waiting awaiting_approval ";
    expect(await linesOf(batchId)).toEqual([waiting, waiting]);
    expect(await codeOf(approveBatch(batchId, "key_2"))).toBe("OK");
    await runDueBatch(batchDeps());
    expect(await readBatch(batchId)).toEqual({
      ...{ state: "finished", approval: "approved", counts: [0, 2, 0, 0] },
    });
  });

  it("has its unpaid lines held in the middle, which no runner pays that read them before", async () => {
    const { batchId, leased, document, stopped } = await heldInTheMiddle();
    expect(stopped.batches).toEqual([batchId]);
    if (document === undefined) throw new Error("no line");
    const order = { order: toOrder(document), document, lease: leased.lease, dueAt: new Date() };
    await executeOrder({ ...platform.parts, orders: platform.lines }, order);
    await runBatch(batchDeps(), leased);
    expect(await runDueBatch(batchDeps())).toBe(false);
    expect(await payoutsMade()).toBe(1);
    expect(await readBatch(batchId)).toEqual({
      ...{ state: "awaiting_approval", approval: "waiting", counts: [1, 1, 0, 0] },
    });
    const events = await batchOutbox(platform.batches).due(10);
    expect(events.map(({ key }) => key)).toEqual(["opt_in.batch_approval_required"]);
    await approveBatch(batchId, "key_2");
    await runDueBatch(batchDeps());
    expect(await readBatch(batchId)).toEqual({
      ...{ state: "finished", approval: "approved", counts: [0, 2, 0, 0] },
    });
    expect(await payoutsMade()).toBe(2);
  });

  it.each(["rejected", "cancelled", "expired"] as const)(
    "that was held in the middle ends with its counts when it is %s",
    async (how) => {
      const { batchId } = await heldInTheMiddle();
      const asked = { ...by("key_2"), batchId };
      if (how === "rejected") await platform.ordersRpc.rejectBatch({ ...asked, reason: "a leak" });
      if (how === "cancelled") await platform.ordersRpc.cancelBatch(asked);
      if (how === "expired") {
        const due_at = new Date(Date.now() - 1);
        await platform.batches.updateOne({ _id: batchId }, { $set: { due_at } });
        await runDueBatch(batchDeps());
      }
      await runDueBatch(batchDeps());
      const isExpired = how === "expired";
      expect(await readBatch(batchId)).toEqual({
        ...{
          state: "finished",
          approval: how,
          counts: [0, 1, isExpired ? 1 : 0, isExpired ? 0 : 1],
        },
      });
      expect((await linesOf(batchId))[1]).toBe(
        isExpired ? "failed undefined APPROVAL_EXPIRED" : "cancelled undefined ",
      );
      expect(await payoutsMade()).toBe(1);
    },
  );

  it("is cancelled with it on request", async () => {
    const { batchId, stopped } = await heldInTheMiddle(RevokedOrders.CANCEL);
    const waiting = await make(1);
    expect(stopped.batches).toEqual([batchId]);
    expect((await stop("key_1", RevokedOrders.CANCEL)).batches).toEqual([batchId, waiting]);
    await runDueBatch(batchDeps());
    expect((await readBatch(batchId)).counts).toEqual([0, 1, 0, 1]);
    expect((await readBatch(waiting)).state).toBe("cancelled");
  });

  it("is cancelled with a line whose quote is bound and not claimed", async () => {
    const batchId = await make(1);
    await approveBatch(batchId, "key_1");
    platform.faults.claim = () => {
      throw new Error("away");
    };
    await runDueBatch(batchDeps());
    platform.faults.claim = () => undefined;
    expect((await platform.lines.findOne({ batch_id: batchId }))?.quote).toBeDefined();
    await stop("key_1", RevokedOrders.CANCEL);
    await platform.batches.updateOne({ _id: batchId }, { $set: { due_at: new Date(0) } });
    await runDueBatch(batchDeps());
    expect(await readBatch(batchId)).toMatchObject({ state: "finished", counts: [0, 0, 0, 1] });
    expect(await payoutsMade()).toBe(0);
  });

  it("has its lines cancelled by a repeat after a crash", async () => {
    const batchId = await make(1);
    await stop("key_1", RevokedOrders.CANCEL);
    await platform.lines.updateMany({ batch_id: batchId }, { $set: { state: "waiting" } });
    await stop("key_1", RevokedOrders.CANCEL);
    expect(await linesOf(batchId)).toEqual(["cancelled undefined "]);
  });

  it("is not approved any more once its approval has expired", async () => {
    const batchId = await make(1);
    await stop("key_1");
    const past = new Date(Date.now() - 1);
    const expired = { due_at: past, "held.expires_at": past };
    await platform.batches.updateOne({ _id: batchId }, { $set: expired });
    expect(await codeOf(approveBatch(batchId, "key_2"))).toBe("NOT_AWAITING_APPROVAL");
    await runDueBatch(batchDeps());
    expect((await readBatch(batchId)).approval).toBe("expired");
    expect(await payoutsMade()).toBe(0);
  });

  it("is held with the key that approved it, for its maker cannot decide alone then", async () => {
    const batchId = await make(1, "key_2");
    await approveBatch(batchId, "key_1");
    expect((await stop("key_1", RevokedOrders.CANCEL)).batches).toEqual([batchId]);
    expect(await codeOf(approveBatch(batchId, "key_2"))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await runDueBatch(batchDeps())).toBe(false);
    expect((await stop("key_1", RevokedOrders.CANCEL)).batches).toEqual([batchId]);
    expect(await codeOf(approveBatch(batchId, "key_3"))).toBe("OK");
  });
});
