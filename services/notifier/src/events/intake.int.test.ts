import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import { silentLog } from "@disburse/chassis/log.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { amqpUrl } from "@disburse/testkit/broker.ts";
import { verifyCall } from "@disburse/testkit/receiver.ts";
import type { Collection } from "mongodb";
import { beforeEach, describe, expect, it } from "vitest";
import type { DeliveryDocument } from "../deliveries/documents.ts";
import { payoutMessage, register, startTestNotifier } from "../test-notifier.ts";
import { openBus, startTestService, type TestService } from "../test-service.ts";
import { sessionData } from "../test-session.ts";
import { subscription } from "./intake.ts";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
  return service.close;
});

describe("a message in the queue", () => {
  it("is dead-lettered if it is unreadable, and delays no other", async () => {
    const { merchantId } = await service.hook();
    const good = payoutMessage({ merchantId });
    await service.publish([
      { id: "bad-1", key: "payout.initiated", body: Buffer.from("not protobuf") },
      { id: "bad-2", key: "refund.updated", body: Buffer.alloc(0) },
      good,
      { id: "bad-3", key: "payout.failed", body: good.body.slice(0, 40) },
    ]);
    await service.receiver.waitFor(1);
    expect(await service.deadLetters(3)).toEqual(["bad-1", "bad-2", "bad-3"]);
  });

  it("is sent once if payout published it, despite repeats, and never otherwise", async () => {
    const { merchantId } = await service.hook();
    // From here on the queue is bound.
    const first = payoutMessage({ merchantId });
    await service.publish([first]);
    await service.receiver.waitFor(1);
    const forged = payoutMessage({ merchantId, status: "succeeded" });
    const exchange = `${service.namespace}.payout.events`;
    const spy = `${service.namespace}.spy`;
    await service.withChannel(async (channel) => {
      await channel.assertQueue(spy, { durable: true });
      await channel.bindQueue(spy, exchange, "#");
      const properties = { persistent: true, messageId: forged.id };
      channel.publish(exchange, forged.key, Buffer.from(forged.body), properties);
    });
    expect(await service.deadLetters(1)).toEqual([forged.id]);
    const genuine = payoutMessage({ merchantId });
    await service.publish([genuine]);
    await service.receiver.waitFor(2);
    await service.withChannel(async (channel) => {
      const [, seen] = [await channel.get(spy, { noAck: true }), await channel.get(spy)];
      await channel.deleteQueue(spy);
      if (seen === false) throw new Error("the spy has not seen the genuine event");
      const { content, fields, properties } = seen;
      channel.publish(exchange, fields.routingKey, content, { ...properties });
    });
    // Queued after the replayed ones.
    const last = payoutMessage({ merchantId });
    await service.publish([last]);
    await service.receiver.waitFor(3);
    expect(await service.leftInQueue()).toBe(0);
    const sent = service.receiver.calls.map(({ headers }) => headers["webhook-id"]);
    expect(sent).toEqual([first.id, genuine.id, last.id]);
  });

  it.each([
    ["acknowledging", async () => undefined],
    [
      "storing deliveries",
      async (deliveries: Collection<DeliveryDocument>) => deliveries.deleteMany(),
    ],
  ])("is sent once though its consumer dies before %s", async (_what, lose) => {
    const { merchantId } = await service.hook();
    await service.stop();
    await crashAfterStoring(merchantId, 3, lose);
    await service.start();
    await service.receiver.waitFor(3);
    // Queued after the redelivered ones.
    await service.publish([payoutMessage({ merchantId })]);
    await service.receiver.waitFor(4);
    await expect.poll(async () => (await service.delivered(merchantId)).length).toBe(4);
    expect(await service.leftInQueue()).toBe(0);
    expect(service.receiver.calls).toHaveLength(4);
  });

  it("is stored once, as are the others of its batch, if some were stored before", async () => {
    const notifier = await startTestNotifier();
    const { merchantId } = await register(notifier);
    const message = () => payoutMessage({ merchantId });
    const [known, unsent, fresh, last] = [message(), message(), message(), message()];
    await notifier.consume([known, unsent]);
    await notifier.work();
    // Simulates a store that was killed in the middle of a write.
    await notifier.deliveries.collection.deleteOne({ event_id: unsent.id });
    notifier.world.posted.length = 0;
    await notifier.consume([fresh, known, unsent, last, fresh]);
    await notifier.work();
    const sent = notifier.world.posted.map(({ headers }) => headers["webhook-id"]);
    expect(sent.toSorted()).toEqual([fresh.id, last.id, unsent.id].toSorted());
    expect(await notifier.deliveries.collection.countDocuments({ state: "delivered" })).toBe(4);
    expect(await notifier.events.collection.countDocuments()).toBe(4);
    await notifier.drop();
  });

  it("stays in the queue while it cannot be stored", async () => {
    const notifier = await startTestNotifier();
    await notifier.close();
    await expect(notifier.consume([payoutMessage({ merchantId: "mer_1" })])).rejects.toThrow();
  });

  it.each(["payment_session", "refund"])("may be a %s", async (transactionType) => {
    const { merchantId, secrets } = await service.hook();
    const own = { id: '"t_1"', status: '"done"', merchant_id: JSON.stringify(merchantId) };
    const dataJson = sessionData({ ...own, fee: "1.10e2" });
    const event = create(MerchantEventSchema, {
      ...{ eventId: "e-1", merchantId, transactionType, transactionId: "t_1" },
      ...{ status: "done", sequence: 1n, dataJson },
    });
    const body = toBinary(MerchantEventSchema, event);
    await service.publish([{ id: "e-1", key: `${transactionType}.updated`, body }]);
    const [call] = await service.receiver.waitFor(1);
    expect(call?.body.toString()).toBe(
      `{"transaction_type":"${transactionType}","transaction_id":"t_1","data":${dataJson}}`,
    );
    expect(verifyCall(call!, secrets)).toMatchObject({ interface: true, standard: true });
  });
});

/**
 * Publishes events, then breaks the consumer's connection after it stored its first batch and
 * before it acknowledges. The batch may contain some or all of them.
 */
async function crashAfterStoring(
  merchantId: string,
  count: number,
  lose: (deliveries: Collection<DeliveryDocument>) => Promise<unknown>,
): Promise<void> {
  const proxy = await startProxy();
  const before = await startTestNotifier({
    connect: service.connect,
  });
  const stored = Promise.withResolvers<void>();
  const { queue, events, handle } = subscription(before, () => new Date(), silentLog);
  const consumer = await openBus(service.namespace, "notifier", proxy.url);
  await consumer.subscribe({
    queue,
    events,
    handle: async (batch) => {
      await handle(batch);
      await lose(before.deliveries.collection);
      stored.resolve();
      return new Promise(() => undefined);
    },
  });
  await service.publish(Array.from({ length: count }, () => payoutMessage({ merchantId })));
  await stored.promise;
  proxy.cut();
  await before.close();
}

/** A proxy to the broker whose connections the test can cut. */
async function startProxy(): Promise<{ url: string; cut(): void }> {
  const target = new URL(amqpUrl());
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5672), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
