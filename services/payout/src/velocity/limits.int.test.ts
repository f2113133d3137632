import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openVelocityLimits } from "./limits.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const by = (operationId: string, kind: Actor_Kind = Actor_Kind.OPERATOR) => ({
  mutation: { operationId, actor: { kind, id: "ada" } },
});
const limits = {
  merchant: { countHour: 10, countDay: 50, amounts: [{ currencyCode: "USD", day: "5000.00" }] },
  beneficiary: { countDay: 0 },
};
const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, readRefusal);

it("are none by default", async () => {
  const found = await platform.operatorRpc.getVelocityLimits({ merchantId: "mer_none" });
  expect(found.limits).toMatchObject({ merchant: { amounts: [] }, beneficiary: { amounts: [] } });
  expect(found.limits?.merchantId).toBe("mer_none");
  expect(found.limits?.merchant?.countHour).toBeUndefined();
  expect(found.limits?.updatedAt).toBeUndefined();
  expect(platform.velocity.of("mer_none")).toBeUndefined();
});

it("are set by an operator, replace earlier ones and are in the audit trail", async () => {
  const set = platform.operatorRpc.setVelocityLimits;
  const merchantId = "mer_set";
  const first = await set({ ...by("set-1"), merchantId, ...limits });
  expect(first.limits).toMatchObject(limits);
  expect(await set({ ...by("set-1"), merchantId, ...limits })).toEqual(first);
  const none = await set({ ...by("set-2"), merchantId, merchant: {}, beneficiary: {} });
  expect(none.limits).toMatchObject({ merchant: { amounts: [] }, beneficiary: { amounts: [] } });
  expect(platform.velocity.of(merchantId)).toEqual({ merchant: [], beneficiary: [] });
  // A late repeat of the first request doesn't restore its limits.
  expect((await set({ ...by("set-1"), merchantId, ...limits })).limits).toEqual(none.limits);
  const { entries } = await platform.operatorRpc.listAuditEntries({ subject: merchantId });
  expect(entries.map((each) => [each.action, each.actor?.id])).toEqual([
    ["velocity.set", "ada"],
    ["velocity.set", "ada"],
  ]);
});

it("are refused under another operation's id, or if not sent by an operator", async () => {
  const set = platform.operatorRpc.setVelocityLimits;
  const merchantId = "mer_refused";
  await set({ ...by("op-1"), merchantId, ...limits });
  const other = { ...limits, merchant: { countHour: 11 } };
  expect(await refusalOf(set({ ...by("op-1"), merchantId, ...other }))).toEqual({
    ...{
      code: "INVALID_REQUEST",
      message: "operation_id: was used with other content",
    },
  });
  const service = set({ ...by("op-2", Actor_Kind.SERVICE), merchantId, ...other });
  expect(await refusalOf(service)).toMatchObject({ code: "ACCESS_FORBIDDEN" });
  const wrong = set({ ...by("op-3"), merchantId, merchant: { countHour: 2, countDay: 1 } });
  expect(await refusalOf(wrong)).toEqual({
    ...{ code: "INVALID_REQUEST", message: "merchant.count_hour: must not be above count_day" },
  });
  expect(await refusalOf(set({ ...by("op-4"), ...limits }))).toMatchObject({
    ...{ code: "INVALID_REQUEST", message: "merchant_id: is required" },
  });
  const { limits: stored } = await platform.operatorRpc.getVelocityLimits({ merchantId });
  expect(stored).toMatchObject(limits);
});

it("are known to other processes after their next poll, in any order of storage", async () => {
  const other = await openVelocityLimits(platform.database);
  const entry = (sequence: number, subject: string, count_hour: number) => ({
    ...{ sequence, subject, action: "velocity.set" as const, person: "ada", operation: "op" },
    ...{ previousHash: "", hash: "", at: new Date() },
    detail: JSON.stringify({ merchant: { count_hour, amounts: [] }, beneficiary: { amounts: [] } }),
  });
  await platform.velocity.follow(entry(902, "mer_late", 2));
  await other.refresh();
  await platform.velocity.follow(entry(901, "mer_later", 1));
  await platform.velocity.follow(entry(900, "mer_late", 9));
  await other.refresh();
  expect(other.of("mer_late")?.merchant).toEqual([{ window: "hour", max: 2n }]);
  expect(other.of("mer_later")?.merchant).toEqual([{ window: "hour", max: 1n }]);
});
