import { silentLog } from "@disburse/chassis/log.ts";
import { DeliveryState } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { beforeAll, expect, it } from "vitest";
import { createSender, type Sender } from "../sender/sender.ts";
import { type BadReceiver, startBadReceiver } from "../sender/test-bad-receiver.ts";
import { operation, payoutMessage, register, startTestNotifier } from "../test-notifier.ts";
import { attemptsMax, horizonMs } from "./rules/schedule.ts";

let receiver: BadReceiver;
let sender: Sender;
/** A sender with a short timeout, for receivers that never respond. */
let hasty: Sender;

beforeAll(async () => {
  receiver = await startBadReceiver();
  sender = createSender({ policy: "sandbox", log: silentLog });
  hasty = createSender({ policy: "sandbox", log: silentLog, timeoutMs: 30 });
  return async () => {
    await Promise.all([sender.close(), hasty.close()]);
    await receiver.close();
  };
});

/** Receivers that send a head with status 200, regardless of the body. */
const acknowledging = [
  ...["/200", "/continue", "/many-interim"],
  ...["/reset-in-body", "/endless", "/bomb", "/answers-early"],
];
/** One receiver of each kind; sender/receiver-fault.test.ts has all. */
const refusing = [
  ...["/201", "/204", "/301", "/307", "/410", "/429", "/500"],
  ...["/endless-500", "/silent", "/reset", "/no-http", "/000"],
];
const paths = [...acknowledging, ...refusing];

it("gives every receiver its 15 attempts within 24 hours, unless it responds 200", async () => {
  const notifier = await startTestNotifier();
  const { world, rpc } = notifier;
  world.answer = (call) => (call.url.endsWith("/silent") ? hasty : sender).post(call);
  const hooks = new Map<string, Awaited<ReturnType<typeof register>>>();
  for (const path of paths) {
    hooks.set(path, await register(notifier, undefined, receiver.url + path));
  }
  const startedAt = world.now.getTime();
  await notifier.consume(
    [...hooks.values()].map(({ merchantId }) => payoutMessage({ merchantId })),
  );
  await notifier.work();
  /** Due time of the last waiting delivery. Their waits differ by at most 2 %. */
  const lastDue = async (): Promise<Date | undefined> => {
    const waiting = { state: "pending", due_at: { $type: "date" } } as const;
    const last = await notifier.deliveries.collection.findOne(waiting, { sort: { due_at: -1 } });
    return last?.due_at ?? undefined;
  };
  for (let due = await lastDue(); due !== undefined; due = await lastDue()) {
    world.now = due;
    await notifier.work();
  }
  expect(world.now.getTime()).toBeLessThan(startedAt + horizonMs);
  for (const [path, { merchantId }] of hooks) {
    const { deliveries } = await rpc.listDeliveries({ merchantId });
    const isDelivered = acknowledging.includes(path);
    expect(deliveries, path).toMatchObject([
      {
        state: isDelivered ? DeliveryState.DELIVERED : DeliveryState.EXHAUSTED,
        attemptsCount: isDelivered ? 1 : attemptsMax,
      },
    ]);
  }
  // Nothing is lost: the exhausted deliveries can be redelivered.
  world.answer = (call) => sender.post({ ...call, url: `${receiver.url}/200` });
  for (const [path, { merchantId }] of hooks) {
    if (acknowledging.includes(path)) continue;
    const [exhausted] = (await rpc.listDeliveries({ merchantId })).deliveries;
    await rpc.redeliver({ mutation: operation(), merchantId, deliveryId: exhausted!.id });
  }
  // Their circuits are open: 5 s between attempts.
  notifier.advance(5_000);
  await notifier.work();
  const delivered = { state: "delivered" } as const;
  expect(await notifier.deliveries.collection.countDocuments(delivered)).toBe(paths.length);
  await notifier.drop();
});
