import { networkInterfaces } from "node:os";
import { silentLog } from "@disburse/chassis/log.ts";
import { type Receiver, startReceiver } from "@disburse/testkit/receiver.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSender } from "./sender.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

const own = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ family }) => family === "IPv4")
  .map(({ address }) => address);

/**
 * Sends a webhook to a name at the receiver's port. Returns the outcome and the number of calls.
 */
async function sent(address: string, isOwnPort: boolean) {
  const port = Number(new URL(receiver.url).port);
  const sender = createSender({
    ...{ policy: "sandbox", log: silentLog, resolve: async () => [address] },
    ownPorts: new Set([isOwnPort ? port : 1]),
  });
  const calls = receiver.calls.length;
  const url = `http://hooks.example:${port}/`;
  const outcome = await sender.post({
    url,
    headers: {},
    body: Buffer.from("{}"),
    timeoutMs: 2_000,
  });
  await sender.close();
  return { outcome, calls: receiver.calls.length - calls };
}

it("sends no webhook to a port of the platform, under any host name", async () => {
  for (const address of ["127.0.0.1", "::ffff:127.0.0.1", ...own]) {
    expect(await sent(address, true)).toEqual({
      outcome: { kind: "failed", error: "address_refused" },
      calls: 0,
    });
  }
});

it("sends webhooks to other ports of this machine", async () => {
  expect(await sent("127.0.0.1", false)).toMatchObject({ outcome: { kind: "answered" }, calls: 1 });
});
