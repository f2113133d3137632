import { expect, test } from "vitest";
import { textsOf } from "./search.ts";

test("returns only the named parameters as text", () => {
  const read = textsOf("status", "reference_id");
  expect(read({ status: "failed", reference_id: 12, cursor: "x" })).toEqual({
    status: "failed",
    reference_id: "12",
  });
  expect(read({ status: true })).toEqual({ status: "true" });
  expect(read({ status: "", reference_id: { a: 1 } })).toEqual({});
});
