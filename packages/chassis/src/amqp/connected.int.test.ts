import { amqpUrl, freshPrefix } from "@disburse/testkit/broker.ts";
import { expect, it } from "vitest";
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
