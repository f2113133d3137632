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
