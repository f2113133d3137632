import { ExactNumber, parseExactJson } from "@disburse/kernel/exact-json.ts";
import type { GatewayAnswer } from "@disburse/testkit/merchant.ts";
import { expect } from "vitest";

/** A time on the wire (decisions: wire conventions). */
export const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const times = { created_at: time, updated_at: time };

export const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-z]{26}$`));

/** Preserves the digits of a number in a body. */
export const digits = (text: string) => new ExactNumber(text);

export type Exact = { readonly data: Record<string, unknown> };

/** Returns the answer with every number as written. Expects success. */
export function exact({ status, text }: GatewayAnswer): Exact {
  expect(status, text).toBe(200);
  return parseExactJson(text) as Exact;
}
