import { expect, it, vi } from "vitest";
import { operation, payoutMessage, register, testNotifierOfFile } from "../../test-notifier.ts";

const notifier = await testNotifierOfFile();

it("probes suspended endpoints at once after a change, not after a redelivery", async () => {
  const { rpc, deliveries, endpoints, replayer } = notifier;
  const suspended = await register(notifier);
  const live = await register(notifier);
  await rpc.pauseEndpoint({ mutation: operation(), ...suspended });
  await notifier.consume([suspended, live].map(({ merchantId }) => payoutMessage({ merchantId })));
  await notifier.work();
  const sent = await deliveries.collection.findOne({ endpoint_id: live.endpointId });
  // Less than the second after which it is probed anyway.
  notifier.advance(999);
  const reads = vi.spyOn(endpoints.collection, "find");
  /** Returns true if the idle endpoint is probed now. */
  const isProbed = async (): Promise<boolean> => {
    reads.mockClear();
    await notifier.work();
    return JSON.stringify(reads.mock.calls).includes(suspended.endpointId);
  };
  expect(await isProbed()).toBe(false);

  await rpc.redeliver({ mutation: operation(), ...live, deliveryId: sent?._id ?? "" });
  expect(await isProbed()).toBe(false);

  const replay = { since: "2026-11-19", states: ["delivered"] };
  await rpc.createReplay({ mutation: operation(), ...live, ...replay });
  expect(await replayer.round()).toBe(true);
  expect(await isProbed()).toBe(false);
  // First attempt, redelivery, and replay.
  expect(notifier.world.posted).toHaveLength(3);

  await rpc.pauseEndpoint({ mutation: operation(), ...live });
  expect(await isProbed()).toBe(true);
});
