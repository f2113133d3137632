import { expect, it } from "vitest";
import { createRefusals, noAnswer } from "./refusals.ts";

it("counts refusals, and names those that no failover may cause", () => {
  const refusals = createRefusals();
  refusals.note("new", "SERVICE_UNAVAILABLE");
  refusals.note("new", "SERVICE_UNAVAILABLE");
  refusals.note("new", noAnswer);
  refusals.note("repeating", "REQUEST_TIMEOUT");
  expect(refusals.problems()).toEqual([]);
  refusals.note("new", "INTERNAL_ERROR");
  refusals.note("repeating", "ALREADY_PROCESSED");
  refusals.note("repeating", "ALREADY_PROCESSED");
  expect(refusals.problems()).toEqual(["new: INTERNAL_ERROR", "repeating: ALREADY_PROCESSED"]);
  expect(refusals.counts()).toEqual([
    ...["new: SERVICE_UNAVAILABLE 2", "new: no answer 1", "repeating: REQUEST_TIMEOUT 1"],
    ...["new: INTERNAL_ERROR 1", "repeating: ALREADY_PROCESSED 2"],
  ]);
});
