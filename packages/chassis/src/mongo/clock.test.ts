import type { Db } from "mongodb";
import { afterEach, expect, it, vi } from "vitest";
import { databaseClock, elapsedWithSleep } from "./clock.ts";

const noon = new Date("2026-11-20T12:00:00.000Z");
const later = (ms: number): Date => new Date(noon.getTime() + ms);

afterEach(() => {
  vi.useRealTimers();
});

/** A database that takes 40 ms to reply, and reads the time in the middle. */
function slowDatabase(answer: readonly { now: Date }[]) {
  const time = { elapsedMs: 7_000 };
  const toArray = async () => {
    time.elapsedMs += 40;
    return answer;
  };
  return { time, db: { aggregate: () => ({ toArray }) } as unknown as Db };
}

it("advances from the database's time, whatever the process's clock says", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: later(-300_000) });
  const { time, db } = slowDatabase([{ now: noon }]);
  const clock = await databaseClock({ db }, () => time.elapsedMs);
  expect(clock.now()).toEqual(later(20));
  vi.setSystemTime(later(300_000));
  expect(clock.now()).toEqual(later(20));
  time.elapsedMs += 5_000;
  vi.setSystemTime(later(-900_000));
  expect(clock.now()).toEqual(later(5_020));
});

it("fails if the database returns no time", async () => {
  const { db } = slowDatabase([]);
  await expect(databaseClock({ db })).rejects.toThrow("did not return its current time");
});

it("counts the machine's sleep, and no other drift of its uptime", () => {
  const time = { runningMs: 500, upMs: 90_000 };
  const elapsed = elapsedWithSleep(
    () => time.runningMs,
    () => time.upMs,
  );
  const passes = (runningMs: number, upMs = runningMs): number => {
    time.runningMs += runningMs;
    time.upMs += upMs;
    return elapsed();
  };
  expect(passes(1_000)).toBe(1_500);
  expect(passes(1_000, 1_990)).toBe(2_500);
  expect(passes(1_000, 3_601_010)).toBe(3_604_500);
  expect(passes(250)).toBe(3_604_750);
  expect(passes(1_000, 0)).toBe(3_605_750);
});

it("reads the uptime, which costs more, once a second at most", () => {
  const time = { runningMs: 500, asked: 0 };
  const elapsed = elapsedWithSleep(
    () => time.runningMs,
    () => {
      time.asked += 1;
      return time.runningMs;
    },
  );
  time.runningMs += 999;
  elapsed();
  expect(time.asked).toBe(1);
  time.runningMs += 1;
  elapsed();
  elapsed();
  expect(time.asked).toBe(2);
});

it.each([
  [1_999, 0],
  [2_000, 1_000],
])("counts a second of sleep, and no less: %i ms of uptime in one second", (upMs, sleepMs) => {
  const time = { runningMs: 500, upMs: 90_000 };
  const elapsed = elapsedWithSleep(
    () => time.runningMs,
    () => time.upMs,
  );
  time.runningMs += 1_000;
  time.upMs += upMs;
  expect(elapsed()).toBe(1_500 + sleepMs);
});
