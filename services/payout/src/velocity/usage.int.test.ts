import { isRefused } from "@disburse/kernel/refusal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import type { UsageDocument } from "./documents.ts";
import { createVelocityReservations } from "./reservations.ts";
import { partsOf, unused } from "./rules/usage.ts";
import { openUsage } from "./usage.ts";

let database: Awaited<ReturnType<typeof migratedDatabase>>;
beforeAll(async () => {
  database = await migratedDatabase("velocity", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

/** Starts a process with limits of 10 payouts an hour for the merchant and 4 for a beneficiary. */
function startProcess() {
  const limits = {
    merchant: [{ window: "hour", max: 10n } as const],
    beneficiary: [{ window: "hour", max: 4n } as const],
  };
  return createVelocityReservations(
    { of: () => limits },
    { of: () => undefined },
    openUsage(database),
  );
}

const request = (payoutId: string, merchantId: string, destination: string) => ({
  ...{
    payoutId,
    merchantId,
    destinationKeys: [destination],
    quoteId: `qt_${payoutId}`,
    accountId: "acc_1",
  },
  ...{ currency: "USD", amount: 100n },
});

const stored = (id: string) =>
  database.db.collection<UsageDocument>("velocity_usage").findOne({ _id: id });

it("executes in several processes never pass a limit together", async () => {
  const processes = [startProcess(), startProcess(), startProcess()];
  const reserved = await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      processes[n % 3]?.reserve(request(`po_${n}`, "mer_race", `ben_${n % 5}`)),
    ),
  );
  const ok = reserved.flatMap((each, n) => (isRefused(each) ? [] : [n]));
  expect(ok).toHaveLength(10);
  const usage = await stored("mer_race");
  expect(usage?.reservations).toHaveLength(10);
  for (const ben of [0, 1, 2, 3, 4]) {
    const own = ok.filter((n) => n % 5 === ben).length;
    expect(own).toBeLessThanOrEqual(4);
    expect((await stored(`mer_race:ben_${ben}`))?.reservations.length ?? 0).toBe(own);
  }
});

it("repeats of one payout, in several processes at once, count once", async () => {
  const processes = [startProcess(), startProcess()];
  const all = Array.from({ length: 20 }, (_, n) =>
    processes[n % 2]?.reserve(request("po_1", "mer_repeat", "ben_1")),
  );
  expect((await Promise.all(all)).filter(isRefused)).toEqual([]);
  expect((await stored("mer_repeat"))?.reservations).toMatchObject([
    { payout_id: "po_1", open: { attempts: 20 } },
  ]);
});

it("a refusal by the merchant's limit leaves the beneficiary's limit unchanged", async () => {
  const reservations = startProcess();
  for (let n = 0; n < 10; n += 1)
    await reservations.reserve(request(`po_${n}`, "mer_full", `ben_${n}`));
  expect(await reservations.reserve(request("po_x", "mer_full", "ben_x"))).toMatchObject({
    ...{ refused: "LIMIT_EXCEEDED", detail: expect.stringContaining("by this merchant") },
  });
  expect(await stored("mer_full:ben_x")).toBeNull();
});

it("a reservation is released once, and its amount can be reserved again", async () => {
  const reservations = startProcess();
  const parties = { merchantId: "mer_back", destinationKeys: ["ben_1"], actorRoot: "key_1" };
  for (let n = 0; n < 4; n += 1)
    await reservations.reserve(request(`po_${n}`, "mer_back", "ben_1"));
  expect(isRefused(await reservations.reserve(request("po_4", "mer_back", "ben_1")))).toBe(true);
  await reservations.giveBack("po_0", parties);
  await reservations.giveBack("po_0", parties);
  expect(isRefused(await reservations.reserve(request("po_4", "mer_back", "ben_1")))).toBe(false);
  expect(isRefused(await reservations.reserve(request("po_5", "mer_back", "ben_1")))).toBe(true);
});

it("times are the database's, also of the first reservation", async () => {
  const usage = openUsage(database);
  const before = Date.now();
  const times: number[] = [];
  await usage.change("mer_time", (found, now) => {
    times.push(now.getTime());
    const at = now.getTime() === 0 ? new Date(1) : now;
    const part = { at, currency: "USD", count: 1, amount: 1n };
    return { usage: { ...found, sums: [...found.sums, part] }, answer: undefined };
  });
  expect(times.at(-1)).toBeGreaterThan(before - 60_000);
  const { sums } = (await stored("mer_time")) ?? {};
  expect(sums?.map(({ at }) => at.getTime())).toEqual([times.at(-1)]);
});

it("a usage that nothing is left of is taken away", async () => {
  const usage = openUsage(database);
  const reservations = startProcess();
  const parties = { merchantId: "mer_gone", destinationKeys: ["ben_1"], actorRoot: "key_1" };
  await reservations.reserve(request("po_1", "mer_gone", "ben_1"));
  await reservations.giveBack("po_1", parties);
  expect(await stored("mer_gone")).toBeNull();
  const answer = await usage.change("mer_gone", (found) => ({ usage: found, answer: found }));
  expect([answer, partsOf(answer)]).toEqual([unused, []]);
  expect(await stored("mer_gone")).toBeNull();
});
