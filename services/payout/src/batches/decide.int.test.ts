import { fromBinary } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import {
  type Batch,
  BatchLineState,
  BatchState,
} from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { ApprovalState } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isCreated } from "../payouts/document.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { approveBatch } from "./decide.ts";
import { batchOutbox } from "./events.ts";
import { holdBatches } from "./held-store.ts";
import { runDueBatch } from "./runner.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  await setRules({ batches: true });
  accountId = await platform.fundedAccount(merchantId, "100.00");
});
afterEach(async () => {
  platform.faults.afterClaim = () => undefined;
  platform.world.offsetMs = 0;
  await Promise.all(
    [platform.batches, platform.lines, platform.payouts].map((each) => each.deleteMany({})),
  );
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => {
      const { code, reason } = readRefusal(error) ?? { code: Code[(error as ConnectError).code] };
      return reason === undefined ? code : `${code} ${reason}`;
    },
  );

const by = (id: string, kind: Actor_Kind = Actor_Kind.API_KEY) => ({
  mutation: { operationId: platform.operation().operationId, actor: { kind, id } },
  merchantId,
});

type Rules = { batches?: boolean; amounts?: { currencyCode: string; minimum: string }[] };
const large: Rules = { amounts: [{ currencyCode: "USD", minimum: "10.00" }] };

const setRules = (approval: Rules) =>
  platform.operatorRpc.setPayoutControls({ ...by("ada", Actor_Kind.OPERATOR), approval });

const line = (sourceAmount = "10.00") => ({
  ...{ accountId, beneficiaryId: "ben_1", sourceAmount, referenceId: "salary" },
  ...{ sourceCurrencyCode: "USD", destinationCurrencyCode: "USD" },
});

async function make(lines: object[] = [line()]): Promise<Batch> {
  const { batch } = await platform.ordersRpc.createBatch({ ...by("key_1"), lines });
  if (batch === undefined) throw new Error("no batch");
  return batch;
}

const approve = (batchId: string, who = by("key_2"), digest = "") =>
  platform.ordersRpc.approveBatch({ ...who, batchId, maxTotalAmount: "90.00", digest });
const reject = (batchId: string, who = by("key_2"), reason = "line 1 is paid") =>
  platform.ordersRpc.rejectBatch({ ...who, batchId, reason });
const read = async (batchId: string) =>
  (await platform.ordersRpc.getBatch({ merchantId, batchId })).batch;

const run = () =>
  runDueBatch({
    ...platform.parts,
    ...{ orders: platform.lines, isStopping: () => false },
  });
const linesOf = async (batchId: string) =>
  (await platform.ordersRpc.listBatchLines({ merchantId, batchId })).lines;
async function madeOf(batchId: string) {
  const [first] = await linesOf(batchId);
  const asked = { merchantId, payoutId: first?.payoutId ?? "" };
  const { payout } = await platform.rpc.getPayout(asked);
  if (payout === undefined) throw new Error("no payout was made");
  return payout;
}

describe("a batch that is held while an approval of it runs", () => {
  const hold = (id: string) =>
    holdBatches(
      platform.batches,
      { _id: id, stopped_for: { $ne: "key_1" } },
      { stoppedFor: "key_1", lastsMs: 60_000 },
    );
  const approving = async (id: string, key: string, batches = platform.batches) => {
    const batch = await platform.batches.findOne({ _id: id });
    if (batch === null) throw new Error("no batch");
    const deps = {
      ...platform.parts,
      batches,
      wakeRunner: () => undefined,
    };
    const actor = { kind: "api_key", id: key } as const;
    const change = { operationId: platform.operation().operationId, actor };
    return () => approveBatch(deps, batch, { maxTotal: 9_000n, digest: "" }, change);
  };

  it("can't be approved by its maker, who could do so before", async () => {
    await setRules({});
    const { id } = await make();
    const approve = await approving(id, "key_1");
    await hold(id);
    expect(await approve()).toMatchObject({ refused: "ACCESS_FORBIDDEN" });
    expect((await platform.batches.findOne({ _id: id }))?.state).toBe("awaiting_approval");
  });

  it("awaits a new approval if it was held after the first", async () => {
    const { id } = await make();
    const heldAfter = intercepted(platform.batches, ["updateOne"], async (proceed) => {
      const updated = await proceed();
      await hold(id);
      return updated;
    });
    expect(await codeOf((await approving(id, "key_2", heldAfter))())).toBe("Unavailable");
    expect(await codeOf(approve(id))).toBe("OK");
  });
});

describe("if the rules require another actor", () => {
  it("a batch's maker can't decide on it; another actor can, once", async () => {
    const { id, approval } = await make();
    expect(await codeOf(approve(id, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await codeOf(reject(id, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await run()).toBe(false);
    const who = by("mem_1", Actor_Kind.MEMBER);
    expect(await codeOf(approve(id, who, "0".repeat(64)))).toBe("STATE_NOT_REACHABLE");
    expect(approval).toMatchObject({
      ...{ state: ApprovalState.WAITING, byAnother: true, reason: "" },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    for (const _ of ["first", "repeat"]) {
      const { batch } = await approve(id, who, approval?.digest);
      expect(batch?.approval).toMatchObject({
        ...{ state: ApprovalState.APPROVED, decidedBy: { id: "mem_1" } },
      });
    }
    expect(await codeOf(approve(id))).toBe("NOT_AWAITING_APPROVAL");
    expect(await codeOf(reject(id))).toBe("NOT_AWAITING_APPROVAL");
    await run();
    expect(await read(id)).toMatchObject({ state: BatchState.FINISHED, executedCount: 1 });
  });

  it("a rule set after the batch's creation applies, and so does a removed one", async () => {
    const before = await make();
    await setRules({});
    const after = await make();
    expect(await codeOf(approve(before.id, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    await setRules({ batches: true });
    expect(await codeOf(approve(after.id, by("key_1")))).toBe("ACCESS_FORBIDDEN same_actor");
    await setRules({});
    expect(await codeOf(approve(after.id, by("key_1")))).toBe("OK");
  });

  it("a batch keeps its event until the bus has it; other merchants can't decide", async () => {
    const { id } = await make([line(), { ...line(), sourceAmount: "", receivingAmount: "5.00" }]);
    await setRules({});
    await make();
    const outbox = batchOutbox(platform.batches);
    const messages = await outbox.due(10);
    expect(messages.map(({ key }) => key)).toEqual(["opt_in.batch_approval_required"]);
    const event = fromBinary(OptInEventSchema, messages[0]?.body ?? new Uint8Array());
    expect(event).toMatchObject({
      ...{ eventId: messages[0]?.id, transactionType: "batch.approval_required" },
      ...{ transactionId: id, status: "awaiting_approval", sequence: 1n },
    });
    expect(event.dataJson).toContain('"line_count":2');
    expect(event.dataJson).toContain('"source_total":10.00,"digest":"');
    // The end of a batch doesn't wait for it, and neither event is lost.
    await approve(id);
    await run();
    expect((await outbox.due(10)).map(({ key }) => key)).toEqual([
      ...["opt_in.batch_approval_required", "opt_in.batch_finished"],
    ]);
    await outbox.published(messages);
    const rest = await outbox.due(10);
    expect(rest.map(({ key }) => key)).toEqual(["opt_in.batch_finished"]);
    await outbox.published(rest);
    expect(await outbox.due(10)).toEqual([]);
  });
});

it("a rejected batch is cancelled with its lines and stores the actor and the reason", async () => {
  const { id } = await make([line(), line()]);
  const who = by("key_2");
  for (const _ of ["first", "repeat"]) {
    const { batch } = await reject(id, who);
    expect(batch).toMatchObject({
      ...{ state: BatchState.CANCELLED, cancelledCount: 2 },
      approval: { state: ApprovalState.REJECTED, reason: "line 1 is paid" },
    });
  }
  const states = (await linesOf(id)).map(({ state }) => enumName(BatchLineState, state));
  expect(states).toEqual(["cancelled", "cancelled"]);
  expect(await codeOf(approve(id))).toBe("NOT_AWAITING_APPROVAL");
  expect(await codeOf(reject(id, by("key_3")))).toBe("NOT_AWAITING_APPROVAL");
  expect(await codeOf(reject((await make()).id, by("key_2"), ""))).toBe("INVALID_REQUEST");
  expect(await run()).toBe(false);
});

it("each decision is in the audit trail as its key's or member's, once", async () => {
  const { id } = await make();
  const who = by("mem_1", Actor_Kind.MEMBER);
  for (const _ of ["first", "repeat"]) await approve(id, who);
  const all = await platform.parts.audit.list(undefined, undefined, 1_000);
  const { operationId } = who.mutation;
  expect(all.filter(({ operation }) => operation === operationId)).toMatchObject([
    { person: "mem_1", action: "ApproveBatch", subject: id, call: { caller: "member" } },
  ]);
});

it("of many decisions at one time one counts", async () => {
  const { id } = await make();
  const keys = ["key_2", "key_3", "key_4"];
  const calls = keys.flatMap((key) => [approve(id, by(key)), reject(id, by(key))]);
  const outcomes = await Promise.all(calls.map(codeOf));
  expect(outcomes.filter((each) => each === "OK")).toHaveLength(1);
  expect(outcomes.filter((each) => each === "NOT_AWAITING_APPROVAL")).toHaveLength(5);
});

it("lines that were changed after the approval are not paid", async () => {
  const { id } = await make();
  await approve(id);
  await platform.lines.updateOne({ batch_id: id }, { $set: { beneficiary_id: "ben_2" } });
  await expect(run()).rejects.toThrow("differs from the one that was approved");
  expect(await platform.payouts.countDocuments({})).toBe(0);
});

describe("lines that the merchant's rules of payouts catch", () => {
  it("are approved with a batch approved by another actor, each bound to its content", async () => {
    await setRules(large);
    const { id } = await make([line(), line("9.99")]);
    const { batch } = await approve(id);
    await run();
    const payout = await madeOf(id);
    expect(payout).toMatchObject({
      subStatus: PayoutSubStatus.QUEUED,
      approval: {
        ...{ state: ApprovalState.APPROVED, decidedBy: { id: "key_2" } },
        decidedAt: batch?.approval?.decidedAt,
      },
    });
    const asked = { merchantId, payoutId: payout.id };
    expect(await codeOf(platform.rpc.approvePayout({ ...by("key_3"), ...asked }))).toBe(
      "NOT_AWAITING_APPROVAL",
    );
    expect((await platform.history(payout.id))?.lines[0]?.detail).toBe(
      "executed; needs approval: amount; given with its batch",
    );
    for (const _ of ["submitted", "settled"]) await platform.after(60_000);
    expect((await madeOf(id)).subStatus).toBe(PayoutSubStatus.SETTLED);
  });

  it("each wait if the batch's maker approved it", async () => {
    await setRules(large);
    const { id } = await make();
    await approve(id, by("key_1"));
    await run();
    await platform.after(60_000);
    const { id: payoutId, subStatus } = await madeOf(id);
    expect(subStatus).toBe(PayoutSubStatus.AWAITING_APPROVAL);
    expect(await read(id)).toMatchObject({ state: BatchState.FINISHED, executedCount: 1 });
    const decide = (key: string) => platform.rpc.approvePayout({ ...by(key), payoutId });
    expect(await codeOf(decide("key_1"))).toBe("ACCESS_FORBIDDEN same_actor");
    expect(await codeOf(decide("key_2"))).toBe("OK");
  });

  it.each([
    ["another approved it", "key_2", PayoutSubStatus.QUEUED],
    ["its maker did", "key_1", PayoutSubStatus.AWAITING_APPROVAL],
  ])("are created alike by the sweep after a crash: %s", async (_who, key, expected) => {
    await setRules(large);
    const { id } = await make();
    await approve(id, by(key));
    platform.faults.afterClaim = () => {
      throw new Error("died");
    };
    await run();
    expect(await platform.payouts.countDocuments(isCreated)).toBe(0);
    platform.faults.afterClaim = () => undefined;
    platform.world.offsetMs = 6_000;
    await platform.sweep();
    const due = { $set: { due_at: new Date(Date.now() - 1_000) } };
    await platform.batches.updateOne({ _id: id }, due);
    await run();
    expect(await madeOf(id)).toMatchObject({ subStatus: expected, batchId: id });
    expect(await platform.payouts.countDocuments({ account_id: accountId })).toBe(1);
  });
});
