import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "../mongo/database.ts";
import { openDailySums } from "./daily-sums.ts";

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("sums", []);
});
afterAll(() => database.close());

const at = (hours: number) => new Date(hours * 3_600_000);
const work = (operation: string, amount: bigint, person = "ada", currency = "USD") => ({
  ...{ operation, amount, person, currency },
});

it("sums a person's work within a day, once for each operation, separately for each currency", async () => {
  const { add, remove } = openDailySums(database);
  expect(await add(work("1", 60n), 100n, at(0))).toBe(true);
  expect(await add(work("2", 41n), 100n, at(1))).toBe(false);
  expect(await add(work("2", 40n), 100n, at(1))).toBe(true);
  expect(await add(work("1", 60n), 100n, at(2))).toBe(true);
  expect(await add(work("3", 1n), 100n, at(23))).toBe(false);
  expect(await add(work("4", 100n, "bob"), 100n, at(1))).toBe(true);
  expect(await add(work("5", 100n, "ada", "INR"), 100n, at(1))).toBe(true);
  await remove(work("2", 40n));
  expect(await add(work("6", 40n), 100n, at(3))).toBe(true);
  // The first piece of work is a day old.
  expect(await add(work("7", 61n), 100n, at(24))).toBe(false);
  expect(await add(work("7", 60n), 100n, at(24))).toBe(true);
});

it("does not let one person split work into concurrent requests", async () => {
  const { add } = openDailySums(database);
  const asked = Array.from({ length: 20 }, (_, each) => work(`at once ${each}`, 10n, "zoe"));
  const within = await Promise.all(asked.map((each) => add(each, 100n, at(0))));
  expect(within.filter(Boolean).length).toBe(10);
});
