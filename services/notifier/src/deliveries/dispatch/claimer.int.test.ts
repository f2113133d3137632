import { expect, it } from "vitest";
import {
  operation,
  payoutMessage,
  refusedBy,
  register,
  testNotifierOfFile,
} from "../../test-notifier.ts";
import { openWorkStore } from "./work-store.ts";

const notifier = await testNotifierOfFile();

it("leases only deliveries that are unchanged since they were read", async () => {
  const { world, deliveries } = notifier;
  const work = openWorkStore(deliveries);
  const { merchantId, endpointId } = await register(notifier);
  world.answer = () => refusedBy(500);
  const consume = (count: number) =>
    notifier.consume(Array.from({ length: count }, () => payoutMessage({ merchantId })));
  // At the time of the read, some have one attempt and some none.
  await notifier.dispatcher.poll();
  await consume(2);
  await notifier.dispatcher.idle();
  await notifier.rpc.pauseEndpoint({ mutation: operation(), merchantId, endpointId });
  await consume(3);
  notifier.advance(6_000);
  const read = await work.due(endpointId, 10, world.now);
  expect(read.map((each) => each.attempts_count).toSorted()).toEqual([0, 0, 0, 1, 1]);
  // One delivery of each kind is attempted meanwhile and due again.
  const tried = [0, 1].flatMap((count) =>
    read.filter((each) => each.attempts_count === count).slice(0, 1),
  );
  for (const { _id } of tried) {
    await deliveries.collection.updateOne({ _id }, { $inc: { attempts_count: 1 } });
  }
  // Another one was leased and given back, so its deadline runs.
  const given = read.filter((each) => each.attempts_count === 0).at(-1)!;
  await deliveries.collection.updateOne({ _id: given._id }, { $set: { deadline: world.now } });
  const lease = { token: "token", place: "place" };
  const taken = await work.take(read, lease, world.now);
  const ids = new Set([...tried, given].map(({ _id }) => _id));
  const asRead = read.filter(({ _id }) => !ids.has(_id)).map(({ _id }) => _id);
  expect(taken.map(({ _id }) => _id).toSorted()).toEqual(asRead.toSorted());
  notifier.advance(1);
  expect(await work.take(read, lease, world.now)).toEqual([]);
});

it("sends all of a long backlog once", async () => {
  const { world } = notifier;
  world.answer = () => ({ kind: "answered", statusCode: 200, body: "" });
  world.posted.splice(0);
  const { merchantId, endpointId } = await register(notifier);
  const mutation = operation();
  await notifier.rpc.pauseEndpoint({ mutation, merchantId, endpointId });
  const messages = Array.from({ length: 150 }, () => payoutMessage({ merchantId }));
  await notifier.consume(messages);
  await notifier.rpc.resumeEndpoint({ mutation: operation(), merchantId, endpointId });
  await notifier.work();
  const sent = world.posted.map(({ headers }) => headers["webhook-id"]);
  expect(sent.toSorted()).toEqual(messages.map(({ id }) => id).toSorted());
});
