import { expect, it } from "vitest";
import { maskedOutcome } from "./headers.ts";

const bodyWith = (body: string, headers: Record<string, string>): string => {
  const masked = maskedOutcome({ kind: "answered", status: 200, body } as never, headers);
  return (masked as unknown as { readonly body: string }).body;
};

it("masks each value in a response once", () => {
  expect(bodyWith("key a.c+ and abc", { A: "a.c+" })).toBe("key ******** and");
  expect(bodyWith("nothing of it is here", { A: "secret" })).toBe("nothing of it is here");
  expect(bodyWith("nothing at all", {})).toBe("nothing at all");
});

it("masks the longest of values that begin alike", () => {
  expect(bodyWith("abc-secret, abc....", { A: "abc", B: "abc-secret" })).toBe(
    "********, ********.",
  );
});

it("never masks a mask", () => {
  const headers = Object.fromEntries(Array.from({ length: 10 }, (_each, at) => [`H${at}`, "*"]));
  expect(bodyWith("*".repeat(1_024), headers)).toBe("*".repeat(1_024));
});
