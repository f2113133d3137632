import { expect, it } from "vitest";
import { createDailyReport } from "./daily-report.ts";
import { readRefusal } from "./refusal.ts";

const clock = { now: () => new Date("2026-11-30T18:00:00.000Z") };

it("reads the same days of the same records once, however they are given", async () => {
  const reads: string[] = [];
  const report = createDailyReport({
    ...{ name: "test", max: 10, clock },
    read: async ([of], { days }) => {
      reads.push(`${of} ${days[0]} ${days.at(-1)}`);
      return days.length;
    },
  });
  const month = { firstDay: "", lastDay: "" };
  const found = await Promise.all([
    report(["acc_1"], month),
    report(["acc_1"], { firstDay: "2026-11-01", lastDay: "2026-12-24" }),
    report(["acc_2"], month),
    report(["acc_1"], { ...month, firstDay: "2026-11-30" }),
  ]);
  expect(found).toEqual([30, 30, 30, 1]);
  expect(await report(["acc_1"], month)).toBe(30);
  expect(reads).toEqual([
    "acc_1 2026-11-01 2026-11-30",
    "acc_2 2026-11-01 2026-11-30",
    "acc_1 2026-11-30 2026-11-30",
  ]);
});

it("refuses malformed days before it reads", async () => {
  const report = createDailyReport({
    ...{ name: "test", max: 10, clock },
    read: () => Promise.reject(new Error("read")),
  });
  const answer = report([], { firstDay: "2026-01-01", lastDay: "" });
  expect(readRefusal(await answer.catch((error: unknown) => error))).toMatchObject({
    code: "INVALID_REQUEST",
    message: "first_day: must be at most 91 days before `last_day`",
  });
});
