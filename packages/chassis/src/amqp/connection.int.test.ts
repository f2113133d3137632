import { amqpUrl } from "@disburse/testkit/broker.ts";
import { expect, it, vi } from "vitest";
import { silentLog } from "../log.ts";
import { cutConnection, maintainConnection } from "./connection.ts";

it("connects again after a connection that was lost while a channel of its setup closed", async () => {
  const setup = vi.fn();
  const lost = vi.fn();
  setup.mockImplementationOnce(async (connection) => {
    const channel = await connection.createChannel();
    const closed = channel.close();
    cutConnection(connection);
    await closed;
  });
  const connection = maintainConnection({
    ...{ url: amqpUrl(), after: undefined, purpose: "consuming", log: silentLog },
    ...{ setup, lost },
  });
  await expect.poll(() => setup.mock.calls.length, { timeout: 10_000 }).toBe(2);
  expect(lost).toHaveBeenCalledTimes(1);
  await connection.stop();
  expect(lost).toHaveBeenCalledTimes(2);
});
