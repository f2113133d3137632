import { silentLog } from "@disburse/chassis/log.ts";
import { systemClock } from "@disburse/kernel/time.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { leaseMs } from "../payouts/leases.ts";
import { callRail, describeResponse } from "./steps.ts";

const observed: unknown[] = [];
const deps = {
  ...{ clock: systemClock, log: silentLog },
  railCalled: (...given: unknown[]) => void observed.push(given),
};
const submission = { payoutId: "po_1", rail: "scripted", operation: "submit" } as const;

const noAnswer = {
  status: { kind: "unknown" },
  pollAfterMs: 2_000,
  call: { kind: "answer", at: expect.any(Date), said: "no answer" },
};

describe("a rail", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it("that hangs times out with an unknown status, before the lease expires", async () => {
    vi.useFakeTimers();
    vi.advanceTimersByTime(1_000);
    const hanging = callRail(deps, submission, () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(leaseMs - 2_000);
    expect(await hanging).toEqual(noAnswer);
    expect(observed.splice(0)).toEqual([[submission, "no_answer", 5_000]]);
  });

  it("that throws has an unknown status, and its message is not stored", async () => {
    const thrown = await callRail(deps, submission, () => Promise.reject(new Error("account 123")));
    expect(thrown).toEqual(noAnswer);
    expect(observed.splice(0)).toEqual([[submission, "no_answer", expect.any(Number)]]);
  });

  it("that responds is recorded with its response and duration", async () => {
    vi.useFakeTimers();
    vi.advanceTimersByTime(1_000);
    const transferred = { amount: "1.00", currency: "USD" };
    const reply = { status: { kind: "accepted" }, pollAfterMs: 7, transferred } as const;
    const answering = callRail(deps, submission, async () => {
      await vi.advanceTimersByTimeAsync(40);
      return reply;
    });
    const answered = await answering;
    const call = { kind: "answer", at: new Date(), said: "accepted, 1.00 USD" };
    expect(answered).toEqual({ ...reply, call });
    expect(observed.splice(0)).toEqual([[submission, "accepted", 40]]);
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
