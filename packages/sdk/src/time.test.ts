import { describe, expect, test } from "vitest";
import { realTime, startDeadline } from "./time.ts";

const hour = 3_600_000;

describe("a wait", () => {
  test("rejects with the reason of a signal that aborts meanwhile", async () => {
    const aborting = new AbortController();
    const waiting = realTime.wait(hour, aborting.signal);
    aborting.abort(new Error("closing"));
    await expect(waiting).rejects.toThrow("closing");
  });

  test("rejects at once for an aborted signal", async () => {
    const waiting = realTime.wait(hour, AbortSignal.abort(new Error("closing")));
    await expect(waiting).rejects.toThrow("closing");
  });

  test("resolves after its time", async () => {
    await realTime.wait(0, new AbortController().signal);
    await realTime.wait(0, undefined);
  });
});

describe("a deadline", () => {
  test("distinguishes its time limit from the caller's signal", async () => {
    const own = startDeadline(0, undefined);
    await new Promise((resolve) => own.signal.addEventListener("abort", resolve));
    expect(own.isOver()).toBe(true);
    const aborting = new AbortController();
    const other = startDeadline(hour, aborting.signal);
    aborting.abort();
    expect([other.signal.aborted, other.isOver()]).toEqual([true, false]);
    other.end();
  });

  test("that has ended ignores the caller's signal", () => {
    const aborting = new AbortController();
    const deadline = startDeadline(hour, aborting.signal);
    deadline.end();
    aborting.abort();
    expect(deadline.signal.aborted).toBe(false);
  });
});
