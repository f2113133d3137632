import { afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  payoutMessage,
  refusedBy,
  register,
  startTestNotifier,
  type TestNotifier,
} from "../test-notifier.ts";
import { attemptsMax, delayMs, horizonMs } from "./rules/schedule.ts";

const place = "first:8080";
/** Each has its own jitter and endpoint, because a failing endpoint gets fewer attempts. */
const deliveries = 3;
/** Jumps of the process's clock in ms. */
const jumpsMs = [300_000, -300_000, 3_600_000, -86_400_000, 0];

let all: TestNotifier[];

beforeEach(() => {
  all = [];
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await all.at(-1)?.database.db.dropDatabase();
  await Promise.all(all.map((each) => each.close()));
});

it("doubles for 24 hours, with a crash in each wait and a wall clock that jumps", async () => {
  const start = async (): Promise<TestNotifier> => {
    const [before] = all;
    const started = await startTestNotifier(
      before === undefined ? { place } : { place, beside: before },
    );
    all.push(started);
    return started;
  };
  let jumps = 0;
  const jump = () => {
    jumps += 1;
    vi.setSystemTime(Date.now() + (jumpsMs[jumps % jumpsMs.length] ?? 0));
  };
  let notifier = await start();
  const { world } = notifier;
  world.answer = () => {
    jump();
    return refusedBy(503);
  };
  for (let at = 0; at < deliveries; at += 1) {
    const { merchantId } = await register(notifier);
    await notifier.consume([payoutMessage({ merchantId })]);
  }
  await notifier.work();
  for (let wait = 1; wait < attemptsMax; wait += 1) {
    notifier.advance(delayMs(wait, 1) / 2);
    notifier = await start();
    jump();
    await notifier.work();
    expect(world.posted).toHaveLength(deliveries * wait);
    while (world.posted.length < deliveries * (wait + 1)) {
      await notifier.advanceToNext();
      await notifier.work();
    }
  }
  const ended = await notifier.deliveries.collection.find({ state: "exhausted" }).toArray();
  expect(ended).toHaveLength(deliveries);
  expect(new Set(ended.map(({ jitter }) => jitter)).size).toBe(deliveries);
  for (const { event_id: eventId, jitter } of ended) {
    const posted = world.posted.filter(({ headers }) => headers["webhook-id"] === eventId);
    const starts = posted.map(({ at }) => at.getTime());
    expect(starts).toHaveLength(attemptsMax);
    for (const [at, startedAt] of starts.slice(1).entries()) {
      const waited = startedAt - (starts[at] ?? 0);
      expect(Math.abs(waited - delayMs(at + 1, jitter))).toBeLessThanOrEqual(1);
    }
    expect(starts.at(-1)! - starts[0]!).toBeLessThan(horizonMs);
  }
});
