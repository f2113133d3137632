import type { MessageInitShape } from "@bufbuild/protobuf";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { ApprovalReason } from "@disburse/contracts/disburse/payout/v1/controls_pb.ts";
import type { ExecutePayoutRequestSchema } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

const merchantId = "mer_1";
const member = { kind: Actor_Kind.MEMBER, id: "mem_1" };
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform?.stop());
afterEach(async () => {
  const nothing = { merchant: {}, beneficiary: {} };
  await platform.operatorRpc.setVelocityLimits({ mutation: byOperator(), merchantId, ...nothing });
  const controls = { duplicateWindowSeconds: 0, approval: {} };
  await platform.operatorRpc.setPayoutControls({ mutation: byOperator(), merchantId, ...controls });
});

const byOperator = () => ({
  ...platform.operation(),
  actor: { kind: Actor_Kind.OPERATOR, id: "ada" },
});

type Execute = MessageInitShape<typeof ExecutePayoutRequestSchema>;

/** Returns every document of the database and every quote, as text. */
async function stored(): Promise<string> {
  const { db } = platform.database;
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = collections.map(({ name }) => name).sort();
  const documents = await Promise.all(
    names.map((name) => db.collection(name).find().sort({ _id: 1 }).toArray()),
  );
  return JSON.stringify([names, documents, [...platform.quotes.keys()]]);
}

/** Returns the message of a call's refusal, or "OK". */
async function refusal(call: () => Promise<unknown>): Promise<string> {
  try {
    await call();
    return "OK";
  } catch (error) {
    return readRefusal(error)?.message ?? String(error);
  }
}

/** Rehearses an execute twice. Checks that neither changed the database or the answer. */
async function rehearse(execute: Execute) {
  const before = await stored();
  const preview = () => platform.ordersRpc.previewPayout({ actor: member, merchantId, execute });
  const first = await preview();
  expect(await preview()).toEqual(first);
  expect(await stored()).toBe(before);
  return { ...first, codes: first.refusals.map(({ code }) => code) };
}

async function pay(quoteId: string, referenceId = "") {
  const mutation = { ...platform.operation(), actor: member };
  const request = { mutation, merchantId, quoteId, referenceId };
  return (await platform.rpc.executePayout(request)).payoutId;
}

it("names the earlier payout of a possible duplicate, and pays on purpose", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const duplicateWindowSeconds = 600;
  const mutation = byOperator();
  await platform.operatorRpc.setPayoutControls({ mutation, merchantId, duplicateWindowSeconds });
  const earlier = await pay(platform.quote(accountId), "order-1");
  const quoteId = platform.quote(accountId);
  const { codes, refusals } = await rehearse({ quoteId, referenceId: "ORDER-1" });
  expect([codes, refusals[0]?.payoutId]).toEqual([["POSSIBLE_DUPLICATE"], earlier]);
  const onPurpose = { quoteId, referenceId: "ORDER-1", allowDuplicate: true };
  expect((await rehearse(onPurpose)).codes).toEqual([]);
});

it("tells that a payout would be held for approval, and why", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const approval = { amounts: [{ currencyCode: "USD", minimum: "10.00" }], newBeneficiaryDays: 3 };
  await platform.operatorRpc.setPayoutControls({ mutation: byOperator(), merchantId, approval });
  const found = await rehearse({ quoteId: platform.quote(accountId) });
  expect(found).toMatchObject({
    ...{ codes: [], approvalRequired: true, approvalReasons: [ApprovalReason.AMOUNT] },
  });
  const less = await rehearse({ quoteId: platform.quote(accountId, { amount: "9.99" }) });
  expect(less).toMatchObject({ approvalRequired: false, approvalReasons: [] });
});

it("shows what is left of each limit before the payout, and names a limit that it exceeds", async () => {
  const accountId = await platform.fundedAccount(merchantId, "100.00");
  const limits = {
    merchant: { countHour: 3, amounts: [{ currencyCode: "USD", day: "25.00" }] },
    beneficiary: {},
  };
  await platform.operatorRpc.setVelocityLimits({ mutation: byOperator(), merchantId, ...limits });
  await pay(platform.quote(accountId, { amount: "12.00" }));
  const { codes, limits: left } = await rehearse({ quoteId: platform.quote(accountId) });
  expect(codes).toEqual([]);
  expect(left).toMatchObject([
    { subject: "merchant", window: "hour", currencyCode: "", maximum: "3", left: "2" },
    { subject: "merchant", window: "day", currencyCode: "USD", maximum: "25.00", left: "13.00" },
  ]);
  const tooMuch = await rehearse({ quoteId: platform.quote(accountId, { amount: "13.01" }) });
  expect(tooMuch.codes).toEqual(["LIMIT_EXCEEDED"]);
});

it("tells that the balance is too low, or that the payout would wait for it", async () => {
  const accountId = await platform.fundedAccount(merchantId, "9.99");
  const quoteId = platform.quote(accountId);
  const short = { codes: ["INSUFFICIENT_BALANCE"], wouldWait: false, availableAmount: "9.99" };
  expect(await rehearse({ quoteId })).toMatchObject(short);
  const waits = { codes: [], wouldWait: true };
  expect(await rehearse({ quoteId, queueIfLowBalance: true })).toMatchObject(waits);
});

it("refuses the limits of a payout that may wait as an execute refuses them", async () => {
  const accountId = await platform.fundedAccount(merchantId, "9.99");
  const dayMs = 86_400_000;
  const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
  const below = "max_source_amount: must not be below the quote's source_amount";
  for (const [limits, refused] of [
    [{ expiresAt: ahead(8 * dayMs) }, "expires_at: must be at most 7 days ahead"],
    [{ expiresAt: ahead(-dayMs) }, "expires_at: must be in the future"],
    [{ maxSourceAmount: "9.99" }, below],
    [{ expiresAt: ahead(6 * dayMs), maxSourceAmount: "10.00" }, "OK"],
  ] as const) {
    const quoteId = platform.quote(accountId, { amount: "10.00" });
    const execute = { quoteId, queueIfLowBalance: true, ...limits };
    const preview = () => platform.ordersRpc.previewPayout({ actor: member, merchantId, execute });
    const mutation = { ...platform.operation(), actor: member };
    const pays = () => platform.rpc.executePayout({ ...execute, mutation, merchantId });
    expect([await refusal(preview), await refusal(pays)]).toEqual([refused, refused]);
  }
});

it("tells that the account is closed, also to a payout that may wait", async () => {
  const accountId = await platform.fundedAccount(merchantId, "10.00");
  const quoteId = platform.quote(accountId);
  await pay(platform.quote(accountId));
  const mutation = platform.operation();
  await platform.rpc.closeAccount({ mutation, merchantId, accountId });
  for (const queueIfLowBalance of [false, true]) {
    const found = await rehearse({ quoteId, queueIfLowBalance });
    expect(found).toMatchObject({ codes: ["SOURCE_ACCOUNT_CLOSED"], wouldWait: false });
  }
});

it("names every refusal, in the order of the checks", async () => {
  const accountId = await platform.fundedAccount(merchantId, "1.00");
  const expiresAt = new Date(Date.now() - 1_000);
  const change = { expiresAt, corridorOpen: false, amount: "1000.01" };
  const { codes } = await rehearse({ quoteId: platform.quote(accountId, change) });
  const all = ["ACCESS_FORBIDDEN", "QUOTE_EXPIRED", "AMOUNT_NOT_WITHIN_LIMITS"];
  expect(codes).toEqual([...all, "INSUFFICIENT_BALANCE"]);
});
