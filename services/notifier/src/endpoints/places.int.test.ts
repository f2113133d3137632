import { newId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import { hookUrl, operation, refusal, register, testNotifierOfFile } from "../test-notifier.ts";

const notifier = await testNotifierOfFile();

const full = "INVALID_REQUEST There can be at most 16 endpoints.";

/** Registers concurrently. Returns the number created and the refusals' messages. */
async function registerAtOnce(merchantId: string, count: number) {
  const asked = Array.from({ length: count }, () => register(notifier, merchantId));
  const ended = await Promise.allSettled(asked);
  const refusals = asked.filter((_each, at) => ended[at]?.status === "rejected").map(refusal);
  return { made: count - refusals.length, messages: new Set(await Promise.all(refusals)) };
}

const countOf = async (merchantId: string): Promise<number> =>
  Number((await notifier.rpc.listEndpoints({ merchantId })).totalCount);

describe("endpoints of a merchant", () => {
  it("are at most 16, however many are registered at once", async () => {
    const merchantId = newId("merchant");
    expect(await registerAtOnce(merchantId, 40)).toEqual({ made: 16, messages: new Set([full]) });
    expect(await countOf(merchantId)).toBe(16);
  });

  it("leave their place to others when they are deleted", async () => {
    const merchantId = newId("merchant");
    const { endpointId } = await register(notifier, merchantId);
    await registerAtOnce(merchantId, 15);
    await notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    expect(await registerAtOnce(merchantId, 3)).toEqual({ made: 1, messages: new Set([full]) });
  });

  it("are one for one operation, also at once and where it takes the last place", async () => {
    const merchantId = newId("merchant");
    await registerAtOnce(merchantId, 15);
    const asked = { mutation: operation(), merchantId, url: hookUrl };
    const made = await Promise.all([1, 2, 3].map(() => notifier.rpc.createEndpoint(asked)));
    expect(new Set(made.map(({ endpoint }) => endpoint?.id)).size).toBe(1);
    expect(await countOf(merchantId)).toBe(16);
  });
});
