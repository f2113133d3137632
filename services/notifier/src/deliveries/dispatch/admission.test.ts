import { expect, it } from "vitest";
import type { DeliveryDocument } from "../documents.ts";
import { createAdmission } from "./admission.ts";
import { slotsDefault } from "./dispatcher.ts";
import { createFreshQueue } from "./fresh-queue.ts";
import { createLimiter } from "./limiter.ts";
import { deliveryLeaseMs } from "./work-store.ts";

/** A step of the store that waits until the test opens it. */
function gate() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>();
  return { passed, open };
}

/** Runs everything that needs no external event. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

const delivery = (id: string, endpointId: string) =>
  ({
    ...{ _id: id, endpoint_id: endpointId, merchant_id: "m", held: false, attempts_count: 0 },
    ...{ lease: { token: "t", place: "p" }, due_at: new Date(deliveryLeaseMs) },
  }) as DeliveryDocument;

/** Starts an admission with deliveries leased by this process. Attempts don't end on their own. */
function startAdmission(leased: readonly DeliveryDocument[]) {
  let nowMs = 0;
  const held = new Map(leased.map((each) => [each._id, each]));
  const started: string[] = [];
  const slots = new Map<string, DeliveryDocument>();
  const limiter = createLimiter(slotsDefault, () => nowMs);
  const reading = { passed: Promise.resolve() };
  const givingBack = { passed: Promise.resolve() };
  const runner = {
    has: (id: string) => slots.has(id),
    enter: (each: DeliveryDocument) => {
      slots.set(each._id, each);
      limiter.enter(limiter.of(each.endpoint_id, each.merchant_id), false);
    },
    start: ({ _id }: DeliveryDocument) => started.push(_id),
    leave: (id: string) => {
      const slot = slots.get(id);
      if (slot !== undefined) limiter.leave(limiter.of(slot.endpoint_id), false);
      slots.delete(id);
    },
  };
  const admission = createAdmission({
    ...{ limiter, freshQueue: createFreshQueue(), place: "p", wake: () => undefined },
    clock: { now: () => new Date(nowMs) },
    ownership: { owns: () => true, token: () => "t" } as never,
    runner: runner as never,
    work: {
      leased: async (ids) => {
        const read = [...held.values()].filter(({ _id }) => ids.includes(_id));
        await reading.passed;
        return read;
      },
      giveBack: async ({ _id }) => {
        await givingBack.passed;
        held.delete(_id);
      },
    },
  });
  /** Handles the same events again; their deliveries already exist. */
  const handle = (...again: readonly DeliveryDocument[]) => {
    const there = new Set(again.keys());
    const unleased = again.map((each) => ({ ...each, lease: null }));
    return admission.begin(unleased, there, new Map());
  };
  const fill = (endpointId: string): void => {
    for (let at = 0; at < 8; at += 1) runner.enter(delivery(`${endpointId}-${at}`, endpointId));
  };
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { handle, fill, advance, started, held, limiter, runner, reading, givingBack };
}

it("starts deliveries leased by an earlier try once, even with concurrent handlers", async () => {
  const [waits, starts] = [delivery("whd_1", "whe_full"), delivery("whd_2", "whe_free")];
  const { handle, fill, started, limiter, runner, givingBack } = startAdmission([waits, starts]);
  fill("whe_full");
  const { passed, open } = gate();
  givingBack.passed = passed;
  const both = [handle(waits, starts), handle(starts)];
  await settled();
  open();
  await Promise.all(both);
  expect(started).toEqual(["whd_2"]);
  runner.leave("whd_2");
  expect(limiter.of("whe_free").running).toBe(0);
});

it("starts no delivery whose lease is being given back", async () => {
  const only = delivery("whd_1", "whe_1");
  const { handle, fill, started, held, runner, givingBack } = startAdmission([only]);
  fill("whe_1");
  const { passed, open } = gate();
  givingBack.passed = passed;
  const first = handle(only);
  await settled();
  for (const id of ["whe_1-0", "whe_1-1", "whe_1-2"]) runner.leave(id);
  const second = handle(only);
  await settled();
  open();
  await Promise.all([first, second]);
  expect(started).toEqual([]);
  expect(held.size).toBe(0);
});

it("skips a delivery that may have been claimed since its lease was read", async () => {
  const only = delivery("whd_1", "whe_1");
  const { handle, started, held, advance, reading } = startAdmission([only]);
  const { passed, open } = gate();
  reading.passed = passed;
  const handled = handle(only);
  advance(deliveryLeaseMs);
  open();
  await handled;
  expect(started).toEqual([]);
  expect(held.size).toBe(1);
});

it("continues after a failed handling", async () => {
  const only = delivery("whd_1", "whe_1");
  const { handle, started, reading } = startAdmission([only]);
  reading.passed = Promise.reject(new Error("away"));
  await expect(handle(only)).rejects.toThrow("away");
  reading.passed = Promise.resolve();
  await handle(only);
  expect(started).toEqual(["whd_1"]);
});
