import { expect, it } from "vitest";
import type { Outcome } from "../../sender/rules/outcome.ts";
import { slotsDefault } from "./dispatcher.ts";
import { createLanes } from "./lanes.ts";

const failed: Outcome = { kind: "failed", error: "timeout" };

function failing() {
  let nowMs = 0;
  const lanes = createLanes(slotsDefault, () => nowMs);
  for (const id of ["whe_1", "whe_2"]) lanes.attempted(lanes.of(id), failed, new Date(0));
  const known = () => lanes.circuits().open + lanes.circuits().closed;
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { lanes, known, advance };
}

it("forgets an endpoint that failed once nothing was heard of it for a day", () => {
  const { lanes, known, advance } = failing();
  lanes.news();
  advance(86_400_000);
  lanes.news();
  expect(known()).toBe(2);
  advance(1);
  lanes.news();
  expect(known()).toBe(0);
});

it("tells of its own endpoints alone, and forgets at once those that went elsewhere", () => {
  const { lanes, known } = failing();
  const isOwn = (id: string) => id === "whe_1";
  expect([...lanes.news(isOwn).keys()]).toEqual(["whe_1"]);
  lanes.enter(lanes.of("whe_2"), false);
  lanes.forget((id) => !isOwn(id));
  expect(known()).toBe(2);
  lanes.leave(lanes.of("whe_2"), false);
  lanes.forget((id) => !isOwn(id));
  expect(known()).toBe(1);
});
