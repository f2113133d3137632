import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";
import { openPayoutControls } from "./store.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const by = (operationId: string, kind: Actor_Kind = Actor_Kind.OPERATOR) => ({
  mutation: { operationId, actor: { kind, id: "ada" } },
});
const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, readRefusal);

it("are none by default", async () => {
  const { controls } = await platform.operatorRpc.getPayoutControls({ merchantId: "mer_none" });
  expect(controls).toMatchObject({ merchantId: "mer_none", duplicateWindowSeconds: 0 });
  expect(controls?.updatedAt).toBeUndefined();
  expect(platform.controls.of("mer_none")).toBeUndefined();
});

it("are set by an operator, replace earlier ones and are in the audit trail", async () => {
  const set = platform.operatorRpc.setPayoutControls;
  const merchantId = "mer_set";
  const first = await set({ ...by("set-1"), merchantId, duplicateWindowSeconds: 60 });
  expect(first.controls).toMatchObject({ duplicateWindowSeconds: 60 });
  const other = await openPayoutControls(platform.database);
  expect(other.of(merchantId)?.duplicateWindowMs).toBe(60_000);
  const none = await set({ ...by("set-2"), merchantId, duplicateWindowSeconds: 0 });
  expect(none.controls).toMatchObject({ duplicateWindowSeconds: 0 });
  expect(platform.controls.of(merchantId)?.duplicateWindowMs).toBeUndefined();
  // A late repeat of the first request doesn't restore its controls. Another process follows.
  const late = await set({ ...by("set-1"), merchantId, duplicateWindowSeconds: 60 });
  expect(late.controls).toEqual(none.controls);
  await other.refresh();
  expect(other.of(merchantId)?.duplicateWindowMs).toBeUndefined();
  const { entries } = await platform.operatorRpc.listAuditEntries({ subject: merchantId });
  expect(entries.map((each) => [each.action, each.actor?.id])).toEqual([
    ["controls.set", "ada"],
    ["controls.set", "ada"],
  ]);
});

it("are refused if invalid, or if not sent by an operator", async () => {
  const set = platform.operatorRpc.setPayoutControls;
  const window = { duplicateWindowSeconds: 60 };
  expect(await refusalOf(set({ ...by("op-1"), ...window }))).toMatchObject({
    ...{ code: "INVALID_REQUEST", message: "merchant_id: is required" },
  });
  const merchantId = "mer_refused";
  const below = set({ ...by("op-2"), merchantId, duplicateWindowSeconds: -1 });
  expect(await refusalOf(below)).toMatchObject({
    ...{ code: "INVALID_REQUEST", message: "duplicate_window_seconds: must be 0 to 7776000" },
  });
  const service = set({ ...by("op-3", Actor_Kind.SERVICE), merchantId, ...window });
  expect(await refusalOf(service)).toMatchObject({ code: "ACCESS_FORBIDDEN" });
  await set({ ...by("op-4"), merchantId, ...window });
  const other = set({ ...by("op-4"), merchantId, duplicateWindowSeconds: 61 });
  expect(await refusalOf(other)).toMatchObject({
    message: "operation_id: was used for a different request before",
  });
});
