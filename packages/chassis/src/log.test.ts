import { expect, it } from "vitest";
import { plainError } from "./log.ts";

it("keeps what tells of a failure and nothing that was being written", () => {
  const cause = new Error("socket closed");
  const failed = Object.assign(new Error("insert failed", { cause }), {
    code: 11_000,
    writeErrors: [{ op: { name: "Ada Lovelace" } }],
  });
  const logged = plainError(failed);
  expect(logged).toMatchObject({
    type: "Error",
    code: 11_000,
    message: "insert failed",
    cause: { message: "socket closed" },
  });
  expect(JSON.stringify(logged)).not.toContain("Lovelace");
});

it("names each failure of several, and ends with an error that is its own cause", () => {
  const endless = new Error("again");
  endless.cause = endless;
  const logged = plainError(new AggregateError([new Error("first"), endless], "both"));
  expect(JSON.stringify(logged)).toContain("first");
});
