import { newId } from "@disburse/kernel/id.ts";
import { describe, expect, it } from "vitest";
import { operation, refusal, register, testNotifierOfFile, used } from "./test-notifier.ts";

const notifier = await testNotifierOfFile();
const { rpc } = notifier;
type Endpoint = { readonly merchantId: string; readonly endpointId: string };

const hook = "https://hooks.example/";
const first = await register(notifier);
const second = await register(notifier, first.merchantId);

/**
 * Operations that change an endpoint, with their request and a field that makes its content differ.
 */
const changes = {
  updateEndpoint: { description: "a" },
  pauseEndpoint: {},
  resumeEndpoint: {},
  verifyEndpoint: {},
  rotateSecret: { stage: true },
  activateSecret: {},
  sendTestEvent: {},
} as const;

describe("an operation that comes again with other content is refused", () => {
  it.each(Object.entries(changes))("by %s", async (name, fields) => {
    const call = rpc[name as keyof typeof changes] as (request: object) => Promise<unknown>;
    const request = { mutation: operation(), ...(first as Endpoint), ...fields };
    await call(request);
    expect(await refusal(call({ ...request, endpointId: second.endpointId }))).toBe(used);
    await call(request);
  });

  it("by createEndpoint, redeliver, replays and the end of an endpoint", async () => {
    const { merchantId, endpointId } = await register(notifier);
    const create = { mutation: operation(), merchantId, url: hook };
    await rpc.createEndpoint(create);
    expect(await refusal(rpc.createEndpoint({ ...create, url: `${hook}2` }))).toBe(used);

    const test = () => rpc.sendTestEvent({ mutation: operation(), merchantId, endpointId });
    const [one, two] = [(await test()).delivery?.id ?? "", (await test()).delivery?.id ?? ""];
    const redeliver = { mutation: operation(), merchantId, deliveryId: one };
    await rpc.redeliver(redeliver);
    expect(await refusal(rpc.redeliver({ ...redeliver, deliveryId: two }))).toBe(used);

    const since = new Date(notifier.world.now.getTime() - 3_600_000).toISOString();
    const replay = { mutation: operation(), merchantId, endpointId, since };
    const created = await rpc.createReplay(replay);
    expect(await refusal(rpc.createReplay({ ...replay, ratePerSecond: 7 }))).toBe(used);
    const cancel = { mutation: operation(), merchantId, replayId: created.replay?.id ?? "" };
    await rpc.cancelReplay(cancel);
    expect(await refusal(rpc.cancelReplay({ ...cancel, replayId: newId("replay") }))).toBe(used);

    const end = { mutation: operation(), merchantId, endpointId };
    await rpc.deleteEndpoint(end);
    const { endpointId: left } = await register(notifier, merchantId);
    expect(await refusal(rpc.deleteEndpoint({ ...end, endpointId: left }))).toBe(used);
  });
});
