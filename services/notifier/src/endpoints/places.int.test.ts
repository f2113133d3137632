import { newId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import { hookUrl, operation, refusal, register, testNotifierOfFile } from "../test-notifier.ts";

const notifier = await testNotifierOfFile();

const full = "INVALID_REQUEST There can be at most 16 endpoints.";

/** Registers concurrently. Returns the number created and the refusals' messages. */
async function registerAtOnce(merchantId: string, count: number) {
  const calls = Array.from({ length: count }, () => register(notifier, merchantId));
  const ended = await Promise.allSettled(calls);
  const refusals = calls.filter((_each, at) => ended[at]?.status === "rejected").map(refusal);
  return { created: count - refusals.length, messages: new Set(await Promise.all(refusals)) };
}

const countOf = async (merchantId: string): Promise<number> =>
  Number((await notifier.rpc.listEndpoints({ merchantId })).totalCount);

describe("endpoints of a merchant", () => {
  it("are at most 16, even under concurrent registrations", async () => {
    const merchantId = newId("merchant");
    expect(await registerAtOnce(merchantId, 40)).toEqual({
      created: 16,
      messages: new Set([full]),
    });
    expect(await countOf(merchantId)).toBe(16);
  });

  it("leave their place to others when they are deleted", async () => {
    const merchantId = newId("merchant");
    const { endpointId } = await register(notifier, merchantId);
    await registerAtOnce(merchantId, 15);
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    expect(await registerAtOnce(merchantId, 3)).toEqual({ created: 1, messages: new Set([full]) });
  });

  it("are one per operation, also concurrently and for the last place", async () => {
    const merchantId = newId("merchant");
    await registerAtOnce(merchantId, 15);
    const request = { mutation: operation(), merchantId, url: hookUrl };
    const created = await Promise.all([1, 2, 3].map(() => notifier.rpc.createEndpoint(request)));
    expect(new Set(created.map(({ endpoint }) => endpoint?.id)).size).toBe(1);
    expect(await countOf(merchantId)).toBe(16);
  });
});
