import { create, toBinary } from "@bufbuild/protobuf";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  operation,
  refusal,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import { sessionData } from "../test-session.ts";

let notifier: TestNotifier;
beforeAll(async () => {
  notifier = await startTestNotifier();
});
afterAll(() => notifier.drop());

const conflict = "INVALID_REQUEST transaction_id: already belongs to another transaction_type";

function eventOf(merchantId: string, transactionType: string, transactionId: string) {
  const own = { id: JSON.stringify(transactionId), status: '"done"' };
  return {
    ...{ eventId: crypto.randomUUID(), merchantId, transactionType, transactionId },
    ...{ status: "done", sequence: 1n },
    dataJson: sessionData({ ...own, merchant_id: JSON.stringify(merchantId) }),
  };
}

function messageOf(event: ReturnType<typeof eventOf>) {
  const body = toBinary(MerchantEventSchema, create(MerchantEventSchema, event));
  return { id: event.eventId, key: `${event.transactionType}.updated`, body };
}

async function unreadable(): Promise<number> {
  const counts = (await notifier.series()).matchAll(/events_unreadable_total\{.*\} (\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

const publish = (event: ReturnType<typeof eventOf>) =>
  notifier.rpc.publishEvent({ mutation: operation(), event });

it("sends no id of one type as another type, by RPC", async () => {
  const { merchantId } = await register(notifier);
  await publish(eventOf(merchantId, "refund", "t_1"));
  const other = eventOf(merchantId, "payment_session", "t_1");
  expect(await refusal(publish(other))).toBe(conflict);
  expect(await notifier.events.collection.countDocuments({ merchant_id: merchantId })).toBe(1);
  const later = eventOf(merchantId, "refund", "t_1");
  await publish({ ...later, sequence: 2n });
  // Other secrets sign another merchant's ids.
  const { merchantId: another } = await register(notifier);
  await publish(eventOf(another, "payment_session", "t_1"));
});

it("sends no id of one type as another type, by the broker", async () => {
  const { merchantId } = await register(notifier);
  await publish(eventOf(merchantId, "refund", "t_1"));
  const messages = [
    eventOf(merchantId, "payment_session", "t_1"),
    eventOf(merchantId, "refund", "t_1"),
    eventOf(merchantId, "payment_session", "t_2"),
    eventOf(merchantId, "payment_session", "t_2"),
    eventOf(merchantId, "refund", "t_2"),
  ].map(messageOf);
  const expected = ["dead", "stored", "stored", "stored", "dead"];
  expect(await notifier.consume(messages)).toEqual(expected);
  const dead = await unreadable();
  // A repeat has the same outcome.
  expect(await notifier.consume(messages)).toEqual(expected);
  expect(await unreadable()).toBe(dead + 2);
  expect(await notifier.events.collection.countDocuments({ merchant_id: merchantId })).toBe(4);
});
