import { expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import { slotsDefault } from "./dispatcher.ts";
import { createLimiter } from "./limiter.ts";

const failed: Outcome = { kind: "failed", error: "timeout" };

function failing() {
  let nowMs = 0;
  const limiter = createLimiter(slotsDefault, () => nowMs);
  for (const id of ["whe_1", "whe_2"]) limiter.attempted(limiter.of(id), failed, new Date(0));
  const known = () => limiter.circuits().open + limiter.circuits().closed;
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { limiter, known, advance };
}

it("drops a failed endpoint after two days without an attempt", () => {
  const { limiter, known, advance } = failing();
  limiter.unsavedHealth();
  advance(2 * 86_400_000);
  limiter.unsavedHealth();
  expect(known()).toBe(2);
  advance(1);
  limiter.unsavedHealth();
  expect(known()).toBe(0);
});

it("reports only its own endpoints, and drops at once those of other processes", () => {
  const { limiter, known } = failing();
  const isOwn = (id: string) => id === "whe_1";
  expect([...limiter.unsavedHealth(isOwn).keys()]).toEqual(["whe_1"]);
  limiter.enter(limiter.of("whe_2"), false);
  limiter.forget((id) => !isOwn(id));
  expect(known()).toBe(2);
  limiter.leave(limiter.of("whe_2"), false);
  limiter.forget((id) => !isOwn(id));
  expect(known()).toBe(1);
});

it("tells a wait for the endpoint from a wait for the process", () => {
  let nowMs = 0;
  const limiter = createLimiter(slotsDefault, () => nowMs);
  const queue = limiter.of("whe_1", "mer_1");
  limiter.probed("whe_1", "live");
  limiter.due("whe_1");
  for (let each = 0; each < slotsDefault.processMax; each += 1) {
    limiter.enter(limiter.of(`whe_${each + 2}`, `mer_${each + 2}`), false);
  }
  nowMs = 10_000;
  expect(limiter.mayAdmit(queue)).toBe(false);
  limiter.shares(() => true, 10);
  expect(limiter.wasLimitedWithin(queue, nowMs)).toBe(false);
  for (let each = 0; each < slotsDefault.processMax; each += 1) {
    limiter.leave(limiter.of(`whe_${each + 2}`), false);
  }
  for (let each = 0; each < 20; each += 1) limiter.attempted(queue, failed, new Date(each * 1_000));
  nowMs = 20_000;
  expect(limiter.mayAdmit(queue)).toBe(false);
  nowMs = 60_000;
  expect(limiter.wasLimitedWithin(queue, 40_000)).toBe(true);
  expect(limiter.wasLimitedWithin(queue, 39_999)).toBe(false);
});
