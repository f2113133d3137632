import type { Quote } from "@disburse/sdk/gen/types.ts";
import { expect, test } from "vitest";
import { validMs } from "./quote.ts";

test("a quote's validity does not depend on the browser's clock being right", () => {
  const quote = {
    created_at: "2020-01-01T00:00:00.000Z",
    expired_at: "2020-01-01T00:05:00.000Z",
  } as Quote;
  expect(validMs({ quote, gotAt: 1_000 }, 1_000)).toBe(300_000);
  expect(validMs({ quote, gotAt: 1_000 }, 301_000)).toBe(0);
});
