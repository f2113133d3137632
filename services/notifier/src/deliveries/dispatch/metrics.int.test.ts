import { expect, it } from "vitest";
import { operation, payoutMessage, register, startTestNotifier } from "../../test-notifier.ts";

it("counts no deliveries of suspended endpoints as due", async () => {
  const notifier = await startTestNotifier();
  const { dispatcher, metrics, rpc } = notifier;
  const { merchantId, endpointId } = await register(notifier);
  const figures = async (): Promise<(string | undefined)[]> => {
    metrics.measured(await dispatcher.figures());
    const series = await notifier.series();
    return ["due_endpoints", "oldest_due_seconds", "due_deliveries"].map(
      (name) => new RegExp(`^disburse_webhook_${name}\\{.*\\} (.*)$`, "m").exec(series)?.[1],
    );
  };
  await rpc.pauseEndpoint({ mutation: operation(), merchantId, endpointId });
  await notifier.consume([payoutMessage({ merchantId })]);
  await notifier.work();
  notifier.advance(60_000);
  await dispatcher.poll();
  expect(await figures()).toEqual(["0", "0", "0"]);
  await rpc.resumeEndpoint({ mutation: operation(), merchantId, endpointId });
  notifier.world.answer = () => ({ kind: "answered", statusCode: 500, body: "" });
  await notifier.work();
  notifier.advance(7_000);
  await dispatcher.poll();
  expect(await figures()).toEqual(["1", expect.stringMatching(/^[12]/), "1"]);
  await notifier.drop();
});
