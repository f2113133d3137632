import { openAuditStore } from "@disburse/chassis/audit/store.ts";
import { withCallContext } from "@disburse/chassis/call-context.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { setControls } from "../controls/rpc.ts";
import type { AuditAction } from "../payouts/operators.ts";
import { startTestPlatform, type TestPlatform } from "../test-platform.ts";

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const clock = { now: () => new Date() };
const describe = (stored: { readonly duplicate_window_seconds?: number } | null) =>
  String(stored?.duplicate_window_seconds ?? 0);
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => "OK",
    (error: unknown) => readRefusal(error)?.message,
  );

let operations = 0;
/** Sets the duplicate window as a guarded request. `meanwhile` runs before its audit entry. */
function guardedSet(
  subject: { readonly merchantId: string; readonly checkedBefore: string },
  seconds: number,
  {
    meanwhile = async () => undefined as unknown,
    approvedBy = undefined as string | undefined,
  } = {},
  operation = `op-${++operations}`,
) {
  const { merchantId, checkedBefore } = subject;
  const store = openAuditStore<AuditAction>(platform.database);
  const appendAfter: typeof store.appendAfter = async (...given) => {
    await meanwhile();
    return store.appendAfter(...given);
  };
  const deps = { controls: platform.controls, audit: { ...store, appendAfter }, clock };
  const change = { merchantId, text: { duplicate_window_seconds: seconds }, describe };
  return withCallContext({ requestId: "r", checkedBefore, approvedBy }, () =>
    setControls(deps, change, { person: "ada", operation }),
  );
}
const windowOf = async (merchantId: string) => describe(await platform.controls.read(merchantId));

it("a change is refused if the rules aren't those that its guard compared", async () => {
  const of = { merchantId: "mer_read", checkedBefore: "0" };
  expect(await outcomeOf(guardedSet(of, 60))).toBe("OK");
  expect(await outcomeOf(guardedSet(of, 30))).toContain("changed the record at the same time");
  const approved = guardedSet(of, 30, { approvedBy: "bea" });
  expect(await outcomeOf(approved)).toContain("has changed since the proposal");
  expect(await windowOf(of.merchantId)).toBe("60");
});

it("a change is refused if another one enters the audit trail first", async () => {
  const of = { merchantId: "mer_race", checkedBefore: "0" };
  const tighten = () => guardedSet(of, 90);
  const overtaken = guardedSet(of, 60, { meanwhile: tighten }, "op-overtaken");
  expect(await outcomeOf(overtaken)).toContain("changed the record at the same time");
  expect(await windowOf(of.merchantId)).toBe("90");
  // The refused change is not in the trail, so its operation is compared again.
  const now = { ...of, checkedBefore: "90" };
  expect(await outcomeOf(guardedSet(now, 120, {}, "op-overtaken"))).toBe("OK");
  expect(await windowOf(of.merchantId)).toBe("120");
});

it("a change that a crash interrupted after its audit entry is applied first", async () => {
  const of = { merchantId: "mer_crash", checkedBefore: "0" };
  const record = { action: "controls.set" as const, subject: of.merchantId, at: new Date() };
  const detail = JSON.stringify({ duplicate_window_seconds: 90 });
  const crashed = { ...record, detail, person: "ada", operation: "op-crashed" };
  await openAuditStore<AuditAction>(platform.database).append(crashed);
  expect(await outcomeOf(guardedSet(of, 60))).toContain("changed the record at the same time");
  expect(await windowOf(of.merchantId)).toBe("90");
  expect(await outcomeOf(guardedSet({ ...of, checkedBefore: "90" }, 120))).toBe("OK");
});

it("a repeat of a change that was applied changes nothing", async () => {
  const of = { merchantId: "mer_repeat", checkedBefore: "0" };
  await guardedSet(of, 60, {}, "op-first");
  await guardedSet({ ...of, checkedBefore: "60" }, 90);
  expect(await outcomeOf(guardedSet(of, 60, {}, "op-first"))).toBe("OK");
  expect(await windowOf(of.merchantId)).toBe("90");
});
