import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProcessInstance } from "./host.ts";
import { Scheduler, TaskQueue } from "./scheduler.ts";
import { virtualGlobals } from "./virtual-globals.ts";

const startMs = Date.UTC(2026, 0, 5);
const stepsMax = 1_000;

function never(): boolean {
  return false;
}

it("takes tasks by their time, and those of one moment by their order", () => {
  const task = fc.record({ dueMs: fc.nat(20), order: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(task), (tasks) => {
      const queue = new TaskQueue();
      for (const each of tasks) queue.push({ ...each, run: () => undefined });
      const taken = tasks.map(() => queue.pop());
      const inOrder = taken.map((each) => [each?.dueMs, each?.order]);
      const expected = tasks
        .toSorted((one, other) => one.dueMs - other.dueMs || one.order - other.order)
        .map(({ dueMs, order }) => [dueMs, order]);
      expect(inOrder).toEqual(expected);
    }),
  );
});

describe("a scheduler", () => {
  it("goes on only when all code waits again", async () => {
    const scheduler = new Scheduler(1, startMs);
    const seen: string[] = [];
    const work = async () => {
      for (let turn = 0; turn < 50; turn += 1) await undefined;
      seen.push("the first one's reactions");
    };
    scheduler.after(1, { label: "first", run: () => void work() });
    scheduler.after(2, { label: "second", run: () => seen.push("the second one") });
    await scheduler.run(never, startMs + 10, stepsMax);
    expect(seen).toEqual(["the first one's reactions", "the second one"]);
    expect(scheduler.nowMs()).toBe(startMs + 10);
  });

  it("runs no task of a dead process, and those of a stalled one later", async () => {
    const scheduler = new Scheduler(1, startMs);
    const [dead, stalled] = [
      new ProcessInstance(scheduler, "dead", () => 0),
      new ProcessInstance(scheduler, "late", () => 0),
    ];
    const seen: string[] = [];
    const at = (who: string) => () => seen.push(`${who} at ${scheduler.nowMs() - startMs}`);
    scheduler.after(5, { label: "task", owner: dead, run: at("dead"), onDead: at("instead") });
    scheduler.after(5, { label: "task", owner: stalled, run: at("late") });
    dead.end("killed");
    stalled.freeze(100);
    await scheduler.run(never, startMs + 1_000, stepsMax);
    expect(seen).toEqual(["instead at 5", "late at 100"]);
  });
});

it("gives clock, timers and chance to simulated processes alone", async () => {
  const globals = virtualGlobals();
  try {
    const observed = async () => {
      const scheduler = new Scheduler(7, startMs);
      const instance = new ProcessInstance(scheduler, "process", () => 3_600_000);
      const seen: unknown[] = [];
      instance.within(() => {
        seen.push(new Date(), Date.now(), Math.random(), crypto.randomUUID());
        setTimeout(() => seen.push("fired"), 50);
        clearTimeout(setTimeout(() => seen.push("never"), 50));
      });
      await scheduler.run(never, startMs + 60_000, stepsMax);
      return seen;
    };
    const first = await observed();
    expect(first[0]).toEqual(new Date(startMs + 3_600_000));
    expect(first.at(-1)).toBe("fired");
    expect(await observed()).toEqual(first);
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
    await new Promise((resolve) => setTimeout(resolve, 1));
  } finally {
    globals.restore();
  }
});

it("has a simulated process that yields go on at its time", async () => {
  const globals = virtualGlobals();
  try {
    const scheduler = new Scheduler(7, startMs);
    const instance = new ProcessInstance(scheduler, "process", () => 0);
    const seen: string[] = [];
    instance.within(() => void nextTurn().then(() => seen.push("goes on")));
    await scheduler.run(never, startMs + 1_000, stepsMax);
    expect(seen).toEqual(["goes on"]);
  } finally {
    globals.restore();
  }
});
