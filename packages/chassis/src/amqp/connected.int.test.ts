import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { expect, it, onTestFinished } from "vitest";
import { silentLog } from "../log.ts";
import { createMetrics } from "../metrics.ts";
import { connectAmqpBus } from "./bus.ts";
import { testKeys } from "./test-keys.ts";

/** Reads the connection metrics for publishing and consuming. */
async function connected(metrics: ReturnType<typeof createMetrics>) {
  const text = await metrics.text();
  return ["publishing", "consuming"].map((purpose) => {
    const series = new RegExp(`^disburse_bus_connected{purpose="${purpose}".*} (.*)$`, "m");
    return series.exec(text)?.[1];
  });
}

it("shows whether the broker is connected, to publish and to consume", async () => {
  const metrics = createMetrics("test");
  const namespace = freshPrefix("connected").replaceAll(".", "-");
  const bus = await connectAmqpBus({
    ...{ url: amqpUrl(), namespace, log: silentLog, metrics },
    ...{ service: "payout", keys: testKeys("payout") },
  });
  expect(await connected(metrics)).toEqual(["0", "0"]);
  await expect.poll(() => connected(metrics), { timeout: 10_000 }).toEqual(["1", "1"]);
  await bus.stop();
  await expect.poll(() => connected(metrics)).toEqual(["0", "0"]);
});

it("shows how many messages wait in the queues that it consumes", async () => {
  const metrics = createMetrics("quote");
  const namespace = freshPrefix("depths").replaceAll(".", "-");
  const common = { url: amqpUrl(), namespace, log: silentLog };
  const publisher = await connectAmqpBus({
    ...common,
    service: "payout",
    keys: testKeys("payout"),
  });
  onTestFinished(() => publisher.stop());
  const consumer = await connectAmqpBus({
    ...{ ...common, metrics },
    ...{ service: "quote", keys: testKeys("quote") },
  });
  onTestFinished(() => consumer.stop());
  const depths = async () => {
    const gauges = await metrics.gauges(["disburse_bus_queue_messages"]);
    return Object.fromEntries(gauges.map(({ labels, value }) => [labels.queue, value]));
  };
  expect(await depths()).toEqual({});
  await consumer.subscribe({
    queue: "depths",
    events: [{ keys: ["payout.updated"], publishers: ["payout"] }],
    handle: async (messages) => messages.map(() => "dead"),
  });
  const inbox = `${namespace}.depths.inbox`;
  const dead = `${namespace}.depths.dead`;
  await expect.poll(depths, { timeout: 10_000 }).toEqual({ [inbox]: 0, [dead]: 0 });
  await expect.poll(() => publisher.ready(), { timeout: 10_000 }).toBe(true);
  await publisher.publish([{ id: "e-1", key: "payout.updated", body: Buffer.from("{}") }]);
  await expect.poll(depths, { timeout: 10_000 }).toEqual({ [inbox]: 0, [dead]: 1 });
});
