import { silentLog } from "@disburse/chassis/log.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { leaseMs } from "../payouts/leases.ts";
import { callRail, describeResponse } from "./steps.ts";

const observed: unknown[] = [];
const deps = {
  ...{ clock: systemClock, log: silentLog },
  railCalled: (_call: unknown, outcome: string) => void observed.push(outcome),
};
const submission = { payoutId: "po_1", rail: "scripted", operation: "submit" } as const;

describe("a rail", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("that hangs times out with an unknown status, before the lease expires", async () => {
    vi.useFakeTimers();
    const hanging = callRail(deps, submission, () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(leaseMs - 2_000);
    const { status, call } = await hanging;
    expect(status).toEqual({ kind: "unknown" });
    expect(call).toMatchObject({ kind: "answer", said: "no answer" });
  });

  it("that throws has an unknown status, and its message is not stored", async () => {
    const thrown = await callRail(deps, submission, () => Promise.reject(new Error("account 123")));
    expect(thrown.status).toEqual({ kind: "unknown" });
    expect(thrown.call.said).toBe("no answer");
    expect(observed.splice(0)).toEqual(["no_answer", "no_answer"]);
  });
});

it.each([
  [{ status: { kind: "accepted" } }, "accepted"],
  [{ status: { kind: "settled", reference: "R1" } }, "settled R1"],
  [{ status: { kind: "returned" } }, "returned"],
  [
    { status: { kind: "rejected" }, transferred: { amount: "1.00", currency: "USD" } },
    "rejected, 1.00 USD",
  ],
  [
    { status: { kind: "rejected" }, transferred: { amount: "9".repeat(400), currency: "USD" } },
    `rejected, ${"9".repeat(246)}`,
  ],
] as const)("is written down in short: %j", (word, expected) => {
  expect(describeResponse(word)).toBe(expected);
});
