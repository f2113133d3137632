import { Code, type ConnectError } from "@connectrpc/connect";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import {
  PayoutCause,
  PayoutStatus,
  PayoutSubStatus,
} from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { QuoteState } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { openLedger } from "@disburse/ledger/accounts.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findPayout, openPayouts } from "../payouts/store.ts";
import { dyingAt } from "../test-dying.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openVelocityLimits } from "../velocity/limits.ts";
import { createVelocityReservations } from "../velocity/reservations.ts";
import { openUsage } from "../velocity/usage.ts";
import { type ReissueRequest, reissuePayout } from "./reissue.ts";

const merchantId = "mer_1";
let platform: TestPlatform;
let accountId = "";
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
beforeEach(async () => {
  accountId = await platform.fundedAccount(merchantId, "100.00");
});
afterEach(() => {
  platform.world.screening = ScreeningStatus.CLEARED;
  platform.world.quoting = {};
  platform.world.offsetMs = 0;
  Object.assign(platform.faults, { claim: () => undefined, afterClaim: () => undefined });
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.code ?? Code[(error as ConnectError).code],
  );

/** A payout of 10.00 that has ended and returned its money to the merchant. */
async function over(referenceId = "sandbox-return", quoteId = platform.quote(accountId)) {
  const request = { mutation: platform.operation(), merchantId, quoteId, referenceId };
  const texts = { remittanceInformation: "Invoice 7", metadata: { order: "7" } };
  const { payoutId } = await platform.rpc.executePayout({ ...request, ...texts });
  for (let second = 0; second < 6; second += 1) await platform.after(1_000);
  platform.world.offsetMs = 0;
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId });
  expect(payout?.status).toBe(PayoutStatus.FAILED);
  return payoutId;
}

/** A returned payout, made without the rail, which would take seconds. */
async function returnedPayout() {
  const payoutId = await platform.execute(accountId, "rent");
  await platform.rpc.cancelPayout(asked(payoutId));
  const progress = { stage: "returned", reference: "R" } as const;
  await platform.payouts.updateOne({ _id: payoutId }, { $set: { progress } });
  return payoutId;
}

const asked = (payoutId: string, change: object = {}) => ({
  ...{ mutation: platform.operation(), merchantId, payoutId, ...change },
});

async function reissue(payoutId: string, change: object = {}) {
  const { payout } = await platform.rpc.reissuePayout(asked(payoutId, change));
  if (payout === undefined) throw new Error("no payout was answered");
  return payout;
}

const balance = async () => {
  const { account } = await platform.rpc.getAccount({ merchantId, accountId });
  return { available: account?.available, held: account?.held };
};
const oneHeld = { available: "90.00", held: "10.00" };

const read = async (id: string) => {
  const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: id });
  return payout;
};
const madeOf = (payoutId: string) => platform.payouts.countDocuments({ reissue_of: payoutId });

describe("a returned payout", () => {
  it.each(["sandbox-return", "sandbox-fail"])("is paid again, once (%s)", async (reference) => {
    const before = await over(reference);
    const request = asked(before);
    const { payout: made } = await platform.rpc.reissuePayout(request);
    expect(made).toMatchObject({
      ...{ status: PayoutStatus.INITIATED, subStatus: PayoutSubStatus.QUEUED, accountId },
      ...{ sourceAmount: "10.00", referenceId: reference, metadata: { order: "7" } },
      ...{ beneficiaryId: "ben_1", reissueOf: before, reissuedAs: "" },
    });
    const id = made?.id ?? "";
    expect(await balance()).toEqual(oneHeld);
    expect(await read(before)).toMatchObject({ reissuedAs: id, status: PayoutStatus.FAILED });
    const stored = await findPayout(platform.payouts, id);
    expect(stored?.order.details.remittanceInformation).toBe("Invoice 7");
    const { payout: again } = await platform.rpc.reissuePayout(request);
    expect(again?.id).toBe(id);
    const other = platform.rpc.reissuePayout(asked(before));
    const refusal = readRefusal(await other.catch((error: unknown) => error));
    expect(refusal).toMatchObject({ code: "ALREADY_PROCESSED", payoutId: id });
    expect(await madeOf(before)).toBe(1);
    expect(await balance()).toEqual(oneHeld);
  });

  it("can be reissued again if the reissue returned too", async () => {
    const first = await over();
    const second = await reissue(first);
    for (let round = 0; round < 6; round += 1) await platform.after(1_000);
    platform.world.offsetMs = 0;
    const third = await reissue(second.id, { referenceId: "rent" });
    expect(third).toMatchObject({ reissueOf: second.id, referenceId: "rent" });
    expect(await read(second.id)).toMatchObject({ reissueOf: first, reissuedAs: third.id });
  });

  it("shows the new one in its timeline, and the new one shows it", async () => {
    const before = await over();
    const { id } = await reissue(before);
    const { events } = await platform.rpc.listPayoutEvents({ merchantId, payoutId: before });
    expect(events.at(-1)).toMatchObject({
      ...{ cause: PayoutCause.REISSUED, subStatus: PayoutSubStatus.RETURNED, reissuedAs: id },
    });
    expect(events.filter(({ reissuedAs }) => reissuedAs !== "")).toHaveLength(1);
    const own = await platform.rpc.listPayoutEvents({ merchantId, payoutId: id });
    expect(own.events).toMatchObject([{ cause: PayoutCause.EXECUTED, reissueOf: before }]);
  });

  it("keeps the requested amount", async () => {
    const quoteId = platform.quote(accountId, { isReceivingFixed: true });
    const before = await over("sandbox-return", quoteId);
    const { payout } = await platform.rpc.getPayout({ merchantId, payoutId: before });
    expect(payout?.receivingFixed).toBe(true);
    const { quoteId: again } = await reissue(before);
    expect(platform.quotes.get(again)).toMatchObject({ isReceivingFixed: true, amount: "10.00" });
  });

  it("is paid to another beneficiary with other details if they are sent", async () => {
    const change = { beneficiaryId: "ben_2", referenceId: "rent", metadata: { order: "8" } };
    const made = await reissue(await over(), change);
    expect(made).toMatchObject({ ...change, sourceAmount: "10.00" });
  });
});

describe("a reissue is refused", () => {
  it("if the payout was not returned", async () => {
    const queued = await platform.execute(accountId, "rent");
    expect(await codeOf(reissue(queued))).toBe("STATE_NOT_REACHABLE");
    await platform.rpc.cancelPayout(asked(queued));
    expect(await codeOf(reissue(queued))).toBe("STATE_NOT_REACHABLE");
    expect(await codeOf(reissue("po_none"))).toBe("RECORD_NOT_FOUND");
    const returned = await over();
    expect(await codeOf(reissue(returned, { merchantId: "mer_2" }))).toBe("RECORD_NOT_FOUND");
    const exception = { kind: "contradicted", since: new Date(), severity: "high" };
    await platform.payouts.updateOne(
      { _id: returned },
      { $set: { exception: exception as never } },
    );
    expect(await codeOf(reissue(returned))).toBe("STATE_NOT_REACHABLE");
    expect(await madeOf(returned)).toBe(0);
  });

  it("above its maximum, and leaves the payout as it was", async () => {
    const before = await over();
    platform.world.quoting = { cost: "10.01" };
    const bound = { maxSourceAmount: "10.00" };
    expect(await codeOf(reissue(before, bound))).toBe("AMOUNT_NOT_WITHIN_LIMITS");
    expect(await codeOf(reissue(before, { maxSourceAmount: "1.234" }))).toBe("INVALID_REQUEST");
    expect((await read(before))?.reissuedAs).toBe("");
    expect((await reissue(before, { maxSourceAmount: "10.01" })).sourceAmount).toBe("10.01");
  });

  it("if a field is invalid", async () => {
    const before = await returnedPayout();
    for (const wrong of [
      ...[{ maxSourceAmount: "-1" }, { maxSourceAmount: "ten" }, { referenceId: "a\u0007" }],
      ...[{ referenceId: "x".repeat(256) }, { beneficiaryId: "x".repeat(129) }],
      ...[{ metadata: { "a b": "c" } }, { metadata: { a: "x".repeat(501) } }],
    ]) {
      expect(await codeOf(reissue(before, wrong)), JSON.stringify(wrong)).toBe("INVALID_REQUEST");
    }
  });

  it("like a quote or an execute, and can succeed with a later request", async () => {
    const before = await over();
    const request = asked(before);
    platform.world.quoting = { refusal: "CORRIDOR_NOT_ACTIVE" };
    expect(await codeOf(platform.rpc.reissuePayout(request))).toBe("CORRIDOR_NOT_ACTIVE");
    platform.world.quoting = { cost: "100.01" };
    expect(await codeOf(platform.rpc.reissuePayout(request))).toBe("INSUFFICIENT_BALANCE");
    platform.world.screening = ScreeningStatus.BLOCKED;
    platform.world.quoting = {};
    expect(await codeOf(platform.rpc.reissuePayout(request))).toBe("ACCESS_FORBIDDEN");
    platform.world.screening = ScreeningStatus.CLEARED;
    expect(await codeOf(reissue(before))).toBe("OK");
    expect(await balance()).toEqual(oneHeld);
  });

  it("by an execute of its quote: that is the payout's alone", async () => {
    const quoteId = platform.quote(accountId, { reissueOf: await over() });
    const request = { mutation: platform.operation(), merchantId, quoteId };
    expect(await codeOf(platform.rpc.executePayout(request))).toBe("RECORD_NOT_FOUND");
    expect(await balance()).toEqual({ available: "100.00", held: "0.00" });
  });

  it("as a possible duplicate of another payout, but not of the returned one", async () => {
    const actor = { kind: Actor_Kind.OPERATOR, id: "ada" };
    const controls = { merchantId, duplicateWindowSeconds: 3_600 };
    const mutation = () => ({ operationId: platform.operation().operationId, actor });
    await platform.operatorRpc.setPayoutControls({ mutation: mutation(), ...controls });
    try {
      const before = await over("sandbox-return-guarded");
      await platform.execute(accountId, "guarded");
      expect(await codeOf(reissue(before, { referenceId: "guarded" }))).toBe("POSSIBLE_DUPLICATE");
      expect((await reissue(before)).reissueOf).toBe(before);
    } finally {
      await platform.operatorRpc.setPayoutControls({
        mutation: mutation(),
        merchantId,
        duplicateWindowSeconds: 0,
      });
    }
  });
});

describe("of reissues at once", () => {
  it("only one pays, whichever operation requests it", async () => {
    const before = await returnedPayout();
    const codes = await Promise.all([1, 2, 3, 4].map(() => codeOf(reissue(before))));
    expect(codes.filter((code) => code === "OK")).toHaveLength(1);
    expect(new Set(codes).isSubsetOf(new Set(["OK", "ALREADY_PROCESSED", "Unavailable"]))).toBe(
      true,
    );
    expect(await madeOf(before)).toBe(1);
    expect(await balance()).toEqual(oneHeld);
  });

  it("of one request all return the same payout", async () => {
    const request = asked(await returnedPayout());
    const answers = [1, 2, 3].map(() => platform.rpc.reissuePayout(request));
    const ids = (await Promise.all(answers)).map(({ payout }) => payout?.id);
    expect(new Set(ids).size).toBe(1);
    expect(await balance()).toEqual(oneHeld);
  });

  it("a request that stalls with its quote creates no second payout", async () => {
    const before = await returnedPayout();
    const slow = stalled();
    const first = reissuePayout(slow.deps, requestOf(before, "slow"));
    await slow.reached;
    expect(await codeOf(reissue(before))).toBe("Unavailable");
    platform.world.offsetMs = 6_000;
    const made = await reissue(before);
    slow.goOn();
    expect(await first).toMatchObject({ refused: "ALREADY_PROCESSED", payoutId: made.id });
    expect(await madeOf(before)).toBe(1);
    expect(await balance()).toEqual(oneHeld);
  });
});

function requestOf(payoutId: string, operationId: string): ReissueRequest {
  return {
    ...{ merchantId, payoutId, operationId, content: "same" },
    ...{ beneficiaryId: "", maxSourceAmount: "", referenceId: "", metadata: {} },
    ...{ allowDuplicate: false, actor: { kind: "api_key", id: "key_1" } },
  };
}

/** Delays an execute after the read of its quote until the test releases it. */
function stalled() {
  const [reached, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { quote } = platform.parts;
  const getClaimableQuote: typeof quote.getClaimableQuote = async (...args) => {
    const answer = await quote.getClaimableQuote(...args);
    const isOpen = answer.quote?.state === QuoteState.OPEN;
    if (isOpen) {
      reached.resolve();
      await going.promise;
    }
    return answer;
  };
  const deps = { ...platform.parts, quote: { ...quote, getClaimableQuote } };
  return { deps, reached: reached.promise, goOn: () => going.resolve() };
}

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
    quote: process.calls(platform.parts.quote),
  };
  const run = (request: ReissueRequest) => reissuePayout(parts, request);
  return { hasDied: process.hasDied, run };
}

it.each(["the same", "another"])(
  "a process that dies at any step leaves what %s request completes, once",
  async (who) => {
    let died = 0;
    for (let step = 0; ; step += 1) {
      accountId = await platform.fundedAccount(merchantId, "100.00");
      const before = await returnedPayout();
      const first = requestOf(before, `first-${step}`);
      const dying = await dyingProcess(step);
      await dying.run(first).catch(() => undefined);
      if (!dying.hasDied()) break;
      died += 1;
      // Another process's sweep completes the holds, and the binding is old.
      platform.world.offsetMs = 6_000;
      if (who === "another") await platform.sweep();
      const asks = who === "another" ? requestOf(before, `other-${step}`) : first;
      const result = await reissuePayout(platform.parts, asks);
      await platform.sweep();
      platform.world.offsetMs = 0;
      const made = await platform.payouts.find({ reissue_of: before }).toArray();
      expect(made, `step ${step}`).toHaveLength(1);
      const { reissuedAs } = (await read(before)) ?? {};
      expect(made[0]?._id, `step ${step}`).toBe(reissuedAs);
      const answered = "refused" in result ? result.payoutId : result.id;
      expect(answered, `step ${step}`).toBe(reissuedAs);
      expect(await balance(), `step ${step}`).toEqual(oneHeld);
    }
    expect(died).toBeGreaterThan(10);
  },
  // About thirty processes die, each with its own account and two payouts.
  120_000,
);
