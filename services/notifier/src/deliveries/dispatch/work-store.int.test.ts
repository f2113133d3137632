import { expect, it } from "vitest";
import { payoutMessage, register, testNotifierOfFile } from "../../test-notifier.ts";
import { openWorkStore, type Settlement } from "./work-store.ts";

const notifier = await testNotifierOfFile();
const work = openWorkStore(notifier.deliveries);

const lease = { token: "own", place: "here:1" };

/** A delivery as it is stored, and the settlement of an attempt under its lease. */
async function leased() {
  const { world, deliveries } = notifier;
  const { merchantId, endpointId } = await register(notifier);
  await notifier.consume([payoutMessage({ merchantId })]);
  const due = await work.due(endpointId, 1, world.now);
  const [delivery] = await work.take(due, lease, world.now);
  if (delivery === undefined) throw new Error("nothing was leased");
  const { _id: id, line, attempts_count: attemptsBefore } = delivery;
  const at = world.now;
  const outcome = { kind: "answered", statusCode: 200, body: "" } as const;
  const settlement: Settlement = {
    ...{ id, line, leaseToken: lease.token, attemptsBefore, at },
    attempt: { number: attemptsBefore + 1, startedAt: at, endedAt: at, outcome },
    transition: { state: "delivered" },
  };
  const stored = () => deliveries.collection.findOne({ _id: id });
  return { delivery, settlement, stored };
}

it("shows of what a token holds only what is asked for", async () => {
  const [one, other] = [await leased(), await leased()];
  const held = await work.leased([one.delivery._id], lease);
  expect(held.map(({ _id }) => _id)).toEqual([one.delivery._id]);
  expect(await work.leased([other.delivery._id], { ...lease, token: "stale" })).toEqual([]);
});

it.each([
  ["the token of another lease", { leaseToken: "stale" }],
  ["the attempt count of an earlier read", { attemptsBefore: 1 }],
])("a settlement with %s changes nothing", async (_what, stale) => {
  const { settlement, stored } = await leased();
  const before = await stored();
  expect(await work.settle([{ ...settlement, ...stale }])).toBe(0);
  expect(await stored()).toEqual(before);
  expect(await work.settle([settlement])).toBe(1);
  expect(await stored()).toMatchObject({ state: "delivered", attempts_count: 1, lease: null });
});

it.each([
  ["the token of another lease", {}, { token: "stale" }],
  ["the attempt count of an earlier read", { attempts_count: 1 }, {}],
])("a lease given back with %s is kept", async (_what, staleDelivery, staleLease) => {
  const { delivery, stored } = await leased();
  const before = await stored();
  const { now } = notifier.world;
  await work.giveBack({ ...delivery, ...staleDelivery }, { ...lease, ...staleLease }, now);
  expect(await stored()).toEqual(before);
  await work.giveBack(delivery, lease, now);
  expect(await stored()).toMatchObject({ state: "pending", lease: null, due_at: now });
});
