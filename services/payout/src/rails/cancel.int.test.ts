import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteState } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { RailReply } from "@disburse/rail/rail.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { raiseException } from "../payouts/rules/exception.ts";
import type { Progress } from "../payouts/rules/progress.ts";
import { findPayout } from "../payouts/store.ts";
import { startTestPlatform, type TestPlatform, testRail } from "../test-platform.ts";
import { type CancelDeps, cancelPayout } from "./cancel.ts";
import { workOnDuePayout } from "./worker.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());
beforeEach(async () => {
  vi.restoreAllMocks();
  platform.world.offsetMs = 0;
  platform.rails.current = platform.sandboxRail;
  accountId = await platform.fundedAccount(merchantId, "100.00");
});

const cancel = (payoutId: string, own = merchantId) =>
  platform.rpc.cancelPayout({ mutation: platform.operation(), merchantId: own, payoutId });

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

async function endOf(payoutId: string) {
  const payout = await findPayout(platform.payouts, payoutId);
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  const moved = await platform.rpc.listEntries({ merchantId, accountId, payoutId });
  return {
    stage: payout?.progress.stage,
    balance: `${account?.available} + ${account?.held}`,
    entries: Number(moved.totalCount),
  };
}
const cancelled = { stage: "cancelled", balance: "100.00 + 0.00", entries: 2 };
const settled = { stage: "settled", balance: "90.00 + 0.00", entries: 2 };

const transferOf = (id: string) =>
  platform.database.db.collection<{ _id: string }>("sandbox_transfers").findOne({ _id: id });

describe("a queued payout", () => {
  it("is cancelled at once, and no rail ever has it", async () => {
    const quoteId = platform.quote(accountId);
    const order = { mutation: platform.operation(), merchantId, quoteId, referenceId: "order" };
    const { payoutId } = await platform.rpc.executePayout(order);
    const { payout } = await cancel(payoutId);
    expect(payout).toMatchObject({
      ...{ id: payoutId, subStatus: PayoutSubStatus.CANCELLED, version: 2, railCode: "" },
      ...{ failureCode: "CANCELLED", uniqueTransactionReference: "" },
    });
    expect(await endOf(payoutId)).toEqual(cancelled);
    await platform.after(60_000);
    expect([await endOf(payoutId), await transferOf(payoutId)]).toEqual([cancelled, null]);
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId });
    expect(events.map(({ subStatus, failureCode }) => [subStatus, failureCode])).toEqual([
      [PayoutSubStatus.QUEUED, ""],
      [PayoutSubStatus.CANCELLED, "CANCELLED"],
    ]);
    const due = (await platform.outbox.due(1_000)).filter(({ id }) =>
      id.includes(payoutId.slice(3)),
    );
    expect(due.map(({ key }) => key)).toEqual(["payout.initiated", "payout.failed"]);
    // The quote stays claimed: executing it again returns this payout or fails.
    expect(platform.quotes.get(quoteId)?.state).toBe(QuoteState.CLAIMED);
    expect(await platform.rpc.executePayout(order)).toMatchObject({ payoutId });
    const again = { ...order, mutation: platform.operation() };
    expect(await codeOf(platform.rpc.executePayout(again))).toBe("ALREADY_PROCESSED");
  });

  it("is cancelled once, however often that is requested", async () => {
    const payoutId = await platform.execute(accountId, "order");
    const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(payoutId)));
    answers.push(await cancel(payoutId));
    expect(new Set(answers.map(({ payout }) => payout?.version))).toEqual(new Set([2]));
    expect(await endOf(payoutId)).toEqual(cancelled);
  });

  it("is not found by another merchant, and stays as it is", async () => {
    const payoutId = await platform.execute(accountId, "order");
    expect(await codeOf(cancel(payoutId, "mer_2"))).toBe("RECORD_NOT_FOUND");
    expect(await codeOf(cancel("po_none"))).toBe("RECORD_NOT_FOUND");
    expect((await endOf(payoutId)).stage).toBe("queued");
  });

  it("that waits for a rail, or for its beneficiary, is cancelled too", async () => {
    platform.rails.current = undefined;
    const payoutId = await platform.execute(accountId, "order");
    await platform.after(5_000);
    expect(await codeOf(cancel(payoutId))).toBe("OK");
    expect(await endOf(payoutId)).toEqual(cancelled);
  });
});

describe("a payout that its rail has", () => {
  it("is cancelled while it waits for its batch, and its rail never pays it", async () => {
    const payoutId = await platform.execute(accountId, "sandbox-batch-1");
    await platform.work();
    expect((await endOf(payoutId)).stage).toBe("processing");
    expect(await codeOf(cancel(payoutId))).toBe("OK");
    expect(await endOf(payoutId)).toEqual(cancelled);
    await platform.after(60_000);
    expect(await endOf(payoutId)).toEqual(cancelled);
    expect(await transferOf(payoutId)).toMatchObject({ withdrawn_at: expect.any(Date) });
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId });
    expect(events.map(({ subStatus }) => subStatus)).toEqual([
      ...[PayoutSubStatus.QUEUED, PayoutSubStatus.PROCESSING, PayoutSubStatus.CANCELLED],
    ]);
  });

  it("is not when its batch has left, and is paid", async () => {
    const payoutId = await platform.execute(accountId, "sandbox-batch-2");
    await platform.work();
    platform.world.offsetMs += 10_000;
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
    await platform.after(2_000);
    expect(await endOf(payoutId)).toEqual(settled);
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
  });

  it("of a rail without withdrawals is left as it is", async () => {
    platform.rails.current = testRail({});
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    const before = await platform.payouts.findOne({ _id: payoutId });
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
    expect(await platform.payouts.findOne({ _id: payoutId })).toEqual(before);
  });

  it("that was rejected or returned is at its end", async () => {
    for (const reference of ["sandbox-fail", "sandbox-return"]) {
      const payoutId = await platform.execute(accountId, reference);
      for (let n = 0; n < 3; n += 1) await platform.after(1_100);
      expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
    }
  });

  it("whose rail contradicts itself is for operators", async () => {
    platform.rails.current = testRail({ withdraw: async () => true });
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    const exception = raiseException(undefined, "contradicted", new Date());
    await platform.payouts.updateOne({ _id: payoutId }, { $set: { exception } });
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
    expect((await endOf(payoutId)).stage).toBe("processing");
  });

  it("whose rail does not answer is cancelled when it does, or goes on", async () => {
    for (const isWithdrawn of [true, false]) {
      let isAway = true;
      const withdraw = async () => {
        if (isAway) throw new Error("away");
        return isWithdrawn;
      };
      platform.rails.current = testRail({ withdraw, query: takenBack(() => isWithdrawn) });
      const funded = await platform.fundedAccount(merchantId, "100.00");
      accountId = funded;
      const payoutId = await platform.execute(accountId, "order");
      await platform.work();
      expect(await codeOf(cancel(payoutId))).toBe("Unavailable");
      await platform.after(9_000);
      expect((await endOf(payoutId)).stage).toBe("cancelling");
      isAway = false;
      await platform.after(3_000);
      const { stage } = await endOf(payoutId);
      expect(stage).toBe(isWithdrawn ? "cancelled" : "processing");
      expect(await codeOf(cancel(payoutId))).toBe(isWithdrawn ? "OK" : "NOT_CANCELLABLE");
    }
  });

  it("that is paid during the call to its rail stays paid", async () => {
    const settledReport = { status: { kind: "settled", reference: "R" } } as const;
    platform.rails.current = testRail({
      query: async () => settledReport,
      withdraw: async () => false,
    });
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
    await platform.after(70_000);
    expect(await endOf(payoutId)).toEqual(settled);
  });
});

describe("a rail that never pays a payout", () => {
  it.each<[string, RailReply, string, string]>([
    [
      "had rejected it",
      { status: { kind: "rejected", failure: { code: "ACCOUNT_CLOSED" } } },
      "rejected",
      "100.00 + 0.00",
    ],
    [
      "had paid it, and it came back",
      { status: { kind: "returned", reference: "R" } },
      "returned",
      "100.00 + 0.00",
    ],
    ["does not know", { status: { kind: "unknown" } }, "unknown", "90.00 + 10.00"],
    [
      "contradicts itself",
      { status: { kind: "rejected" }, contradiction: "two files" },
      "submitting",
      "90.00 + 10.00",
    ],
  ])("and %s did not take it back", async (_what, reply, stage, balance) => {
    const query = async () => reply;
    platform.rails.current = testRail({ withdraw: async () => true, query });
    const payoutId = await platform.execute(accountId, "order");
    await platform.work();
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
    await platform.after(1);
    expect(await endOf(payoutId)).toMatchObject({ stage, balance });
    expect(await codeOf(cancel(payoutId))).toBe("NOT_CANCELLABLE");
  });
});

describe("of cancel and submit exactly one wins", () => {
  it("whoever writes first, of many at once", async () => {
    const account = await platform.fundedAccount(merchantId, "1000.00");
    const submitted: string[] = [];
    platform.rails.current = testRail({
      submit: async (key) => {
        submitted.push(key);
        return { status: { kind: "settled", reference: "R" } };
      },
    });
    const ids = await Promise.all(
      Array.from({ length: 24 }, (_each, at) => platform.execute(account, `order-${at}`)),
    );
    const codes = Promise.all(ids.map((id) => codeOf(cancel(id))));
    await Promise.all([codes, platform.work(), platform.work()]);
    await platform.after(10_000);
    for (const [at, id] of ids.entries()) {
      const isCancelled = (await codes)[at] === "OK";
      expect([id, submitted.includes(id)]).toEqual([id, !isCancelled]);
      const stage = (await findPayout(platform.payouts, id))?.progress.stage;
      expect(stage).toBe(isCancelled ? "cancelled" : "settled");
    }
  });

  it("a cancellation before the submission is stored: it is never sent", async () => {
    const submit = vi.fn();
    platform.rails.current = testRail({ submit });
    const payoutId = await platform.execute(accountId, "order");
    const { beneficiary } = platform.parts;
    const late: typeof beneficiary = Object.assign(Object.create(beneficiary), {
      getPaymentInstruction: async (
        ...given: Parameters<typeof beneficiary.getPaymentInstruction>
      ) => {
        await cancel(payoutId);
        return beneficiary.getPaymentInstruction(...given);
      },
    });
    while (await workOnDuePayout({ ...platform.parts, beneficiary: late }));
    await platform.after(60_000);
    expect(submit).not.toHaveBeenCalled();
    expect(await endOf(payoutId)).toEqual(cancelled);
  });

  it.each([
    ["before its rail has it", "before"],
    ["after its rail has it", "after"],
  ])("a cancellation %s, and before its answer is stored: it is not paid", async (_when, when) => {
    const { sandboxRail } = platform;
    platform.rails.current = {
      ...sandboxRail,
      submit: async (key, instruction) => {
        if (when === "before") await cancel(key);
        const reply = await sandboxRail.submit(key, instruction);
        if (when === "after") await cancel(key);
        return reply;
      },
    };
    const payoutId = await platform.execute(accountId, "sandbox-batch-3");
    await platform.work();
    await platform.after(60_000);
    expect(await endOf(payoutId)).toEqual(cancelled);
    expect(await transferOf(payoutId)).toMatchObject({ withdrawn_at: expect.any(Date) });
  });
});

/** Simulates a rail's reports on a transfer that it took back or still has. */
function takenBack(isWithdrawn: () => boolean) {
  return async (): Promise<RailReply> => {
    return { status: { kind: isWithdrawn() ? "rejected" : "accepted" } };
  };
}

/** Dependencies of a process that dies before or after a write or call. */
function dying(survived: number, isDone: boolean): CancelDeps & { readonly calls: () => number } {
  let calls = 0;
  const killable = <T extends object>(of: T, name: keyof T): T => {
    const live = of[name] as (...given: unknown[]) => Promise<unknown>;
    const last = async (...given: unknown[]) => {
      const isLast = calls++ === survived;
      if (calls > survived + 1 || (isLast && !isDone)) throw new Error("killed");
      const answer = await live.apply(of, given);
      if (isLast) throw new Error("killed");
      return answer;
    };
    return Object.assign(Object.create(of), { [name]: last });
  };
  const { parts: worker, rails } = platform;
  const current = rails.current === undefined ? undefined : killable(rails.current, "withdraw");
  return {
    ...worker,
    payouts: killable(worker.payouts, "updateOne"),
    ledger: killable(worker.ledger, "apply"),
    reservations: killable(worker.reservations, "giveBack"),
    rails: Object.assign(Object.create(worker.rails), { named: () => current }),
    wake: () => undefined,
    calls: () => calls,
  };
}

const by = () => {
  const actor = { kind: "api_key", id: "key_1" } as const;
  return { actor, operationId: platform.operation().operationId };
};

describe.each<[string, string, number, Progress["stage"]]>([
  ["a queued payout", "order", 4, "queued"],
  ["one that waits for its batch", "sandbox-batch-4", 6, "processing"],
])("a process that dies while it cancels %s", (_what, reference, steps, before) => {
  const deaths = Array.from({ length: steps }, (_each, at) => [at, false] as const).flatMap(
    ([at]) => [[at, false] as const, [at, true] as const],
  );

  async function paid(): Promise<string> {
    const payoutId = await platform.execute(accountId, reference);
    if (before !== "queued") await platform.work();
    return payoutId;
  }

  it(`has ${steps} steps`, async () => {
    const deps = dying(Number.POSITIVE_INFINITY, false);
    const answer = await cancelPayout(deps, { merchantId, payoutId: await paid() }, by());
    expect([isRefused(answer), deps.calls()]).toEqual([false, steps]);
  });

  it.each(deaths)("at step %i (done: %s): it is cancelled, and never paid", async (at, done) => {
    for (const goesOn of ["worker", "repeat"]) {
      accountId = await platform.fundedAccount(merchantId, "100.00");
      platform.world.offsetMs = 0;
      const payoutId = await paid();
      const own = { merchantId, payoutId };
      await expect(cancelPayout(dying(at, done), own, by())).rejects.toThrow(/killed|respond/);
      const isIntended = at > 0 || done;
      if (goesOn === "repeat" || !isIntended) expect(await codeOf(cancel(payoutId))).toBe("OK");
      // A worker continues when the lease expires, a second before the batch leaves.
      await platform.after(9_000);
      await platform.after(60_000);
      expect(await endOf(payoutId)).toEqual(cancelled);
      await platform.after(60_000);
      expect(await endOf(payoutId)).toEqual(cancelled);
      const transfer = await transferOf(payoutId);
      if (before === "queued") expect(transfer).toBeNull();
      else expect(transfer).toMatchObject({ withdrawn_at: expect.any(Date) });
    }
  });
});
