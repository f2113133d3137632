import { afterEach, beforeEach, expect, it } from "vitest";
import {
  acknowledged,
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";

let notifier: TestNotifier;
beforeEach(async () => {
  notifier = await startTestNotifier();
});
afterEach(() => notifier.drop());

/** Minimum simulated time of an attempt and its settlement; otherwise the clock stands still. */
const attemptMs = 20;

/**
 * Returns the seconds until all events are delivered to an endpoint that accepts only some
 * attempts.
 */
async function drained(count: number, takes: (attempt: number, number: number) => boolean) {
  const hook = await register(notifier);
  await notifier.work();
  const attempts = new Map<string, number>();
  const numbers = new Map<string, number>();
  notifier.world.answer = ({ headers }) => {
    const id = String(headers["webhook-id"]);
    const attempt = (attempts.get(id) ?? 0) + 1;
    attempts.set(id, attempt);
    notifier.advance(attemptMs);
    return takes(attempt, numbers.get(id) ?? 0) ? acknowledged : refusedBy(500);
  };
  const messages = Array.from({ length: count }, () => payoutMessage(hook));
  for (const [number, { id }] of messages.entries()) numbers.set(id, number);
  const startedAt = notifier.world.now.getTime();
  await notifier.consume(messages);
  const isDone = async () =>
    (await notifier.deliveries.collection.countDocuments({ state: "delivered" })) === count;
  for (let rounds = 0; rounds < 10_000 && !(await isDone()); rounds += 1) {
    await notifier.work();
    notifier.advance(100);
  }
  return (notifier.world.now.getTime() - startedAt) / 1_000;
}

it("sends 100 events within 15 s to an endpoint that refuses each first attempt", async () => {
  expect(await drained(100, (attempt) => attempt > 1)).toBeLessThan(15);
});

it("sends 60 events within 30 s to an endpoint that accepts third attempts", async () => {
  expect(await drained(60, (attempt) => attempt > 2)).toBeLessThan(30);
});

it("sends 60 events within 30 s to an endpoint that accepts some first attempts, else third ones", async () => {
  const takes = (attempt: number, number: number) => number % 4 === 0 || attempt > 2;
  expect(await drained(60, takes)).toBeLessThan(30);
});
