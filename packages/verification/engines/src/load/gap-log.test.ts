import { expect, it, vi } from "vitest";
import { createGapLog } from "./gap-log.ts";

const setNow = (time: number) => vi.spyOn(performance, "now").mockReturnValue(time);

function noteAt(log: ReturnType<typeof createGapLog>, gateway: number, times: readonly number[]) {
  for (const time of times) {
    setNow(time);
    log.noteNew(gateway, true);
  }
}

it("finds the longest gap at any gateway, also one that began before the fault", () => {
  const log = createGapLog(2);
  noteAt(log, 0, [0, 100, 5_000, 5_100, 9_000]);
  noteAt(log, 1, [0, 100, 200, 3_000, 5_200, 9_000]);
  expect(log.between(150, 6_000)).toEqual({ newMs: 4_900, repeatingMs: 0 });
  expect(log.between(5_050, 6_000)).toMatchObject({ newMs: 2_200 });
});

it("counts the time until now, if nothing succeeded", () => {
  const log = createGapLog(1);
  noteAt(log, 0, [100]);
  setNow(4_000);
  log.noteNew(0, false);
  expect(log.between(200, 5_000)).toMatchObject({ newMs: 4_900 });
  expect(log.hasRecoveredSince(50)).toBe(true);
  expect(log.hasRecoveredSince(200)).toBe(false);
  expect(log.requests()).toBe(2);
});

it("finds the longest repetition that touches the fault, also one that has not ended", () => {
  const log = createGapLog(1);
  for (const [from, to, codes] of [
    [0, 900, []],
    [1_000, 1_500, ["BUSY", "LATE", "BUSY", ""]],
    [1_800, 2_100, ["LATE"]],
  ] as const) {
    setNow(from);
    const repeat = log.beginRepeat();
    repeat.codes.push(...codes);
    setNow(to);
    log.endRepeat(repeat);
  }
  expect(log.between(1_200, 2_000)).toMatchObject({ repeatingMs: 500 });
  expect(log.codesOfLongest(1_200, 2_000)).toEqual(["BUSY 2", "LATE 1"]);
  setNow(2_200);
  const last = log.beginRepeat();
  noteAt(log, 0, [3_000]);
  expect(log.between(2_150, 3_000)).toMatchObject({ repeatingMs: 800 });
  expect(log.hasRecoveredSince(2_500)).toBe(false);
  log.endRepeat(last);
  expect(log.hasRecoveredSince(2_500)).toBe(true);
});
