import { newId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import { hookUrl, operation, refusal, register, testNotifierOfFile } from "../test-notifier.ts";

const notifier = await testNotifierOfFile();

const full = "INVALID_REQUEST There can be at most 16 endpoints.";

/** Registers so many at once; answers how many are made, and what the others are messages. */
async function registerAtOnce(merchantId: string, count: number) {
  const asked = Array.from({ length: count }, () => register(notifier, merchantId));
  const ended = await Promise.allSettled(asked);
  const refusals = asked.filter((_each, at) => ended[at]?.status === "rejected").map(refusal);
  return { made: count - refusals.length, messages: new Set(await Promise.all(refusals)) };
}

/** A merchant's endpoints as they were stored before there were places. */
async function registerOld(count: number) {
  const merchantId = newId("merchant");
  const stored = notifier.endpoints.collection;
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) made.push((await register(notifier)).endpointId);
  const old = { $set: { merchant_id: merchantId }, $unset: { place: "" } } as const;
  await stored.updateMany({ _id: { $in: made } }, old);
  return { merchantId, made };
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

  it("count where they were made before there were places, and get theirs", async () => {
    const { merchantId, made } = await registerOld(14);
    // Changes give no place and take none away, before, while and after places are given.
    const pause = (endpointId = "") =>
      notifier.rpc.pauseEndpoint({ mutation: operation(), merchantId, endpointId });
    await pause(made[0]);
    const paused = made.slice(1, 8).map(pause);
    expect(await registerAtOnce(merchantId, 6)).toEqual({ made: 2, messages: new Set([full]) });
    await Promise.all([...paused, ...made.slice(8).map(pause)]);
    expect(await registerAtOnce(merchantId, 2)).toEqual({ made: 0, messages: new Set([full]) });
    expect(await countOf(merchantId)).toBe(16);
    const stored = notifier.endpoints.collection.find({ merchant_id: merchantId });
    const places = (await stored.toArray()).map(({ place }) => Number(place));
    expect(places.toSorted((one, other) => one - other)).toEqual([...Array(16).keys()]);
  });

  it("stay where there were too many, and leave room once they are fewer than 16", async () => {
    const { merchantId, made } = await registerOld(18);
    const remove = (endpointId: string) =>
      notifier.rpc.deleteEndpoint({ mutation: operation(), merchantId, endpointId });
    expect(await registerAtOnce(merchantId, 2)).toMatchObject({ made: 0 });
    expect(await countOf(merchantId)).toBe(18);
    for (const endpointId of made.slice(0, 2)) await remove(endpointId);
    expect(await registerAtOnce(merchantId, 2)).toMatchObject({ made: 0 });
    for (const endpointId of made.slice(2, 3)) await remove(endpointId);
    expect(await registerAtOnce(merchantId, 2)).toEqual({ made: 1, messages: new Set([full]) });
  });
});
