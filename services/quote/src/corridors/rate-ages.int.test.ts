import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { parseDecimal } from "@disburse/kernel/decimal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { rateAges, startRateAges } from "./rate-history.ts";
import { type CorridorText, readCorridor } from "./rules/corridor.ts";
import { activeCorridors, addRate, openCorridors, setCorridor } from "./store.ts";

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("rate_ages", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const now = new Date("2026-01-01T00:00:00Z");
const change = () => ({
  ...{ operationId: crypto.randomUUID(), actor: { kind: "service", id: "test" } as const },
});

const set = (own: Partial<CorridorText>) => {
  const text: CorridorText = {
    ...{ source: "USD", destination: "INR", active: true, feeShare: "0", feeFlat: "0" },
    ...{ sourceMin: "", sourceMax: "", receivingMin: "", receivingMax: "" },
    ...{ quoteTtlSeconds: 0, rateMaxAgeSeconds: 60, returnCharges: "platform" as const, ...own },
  };
  const terms = readCorridor(text);
  if (!("source" in terms)) throw new Error("no terms");
  return setCorridor(openCorridors(database), terms, change(), now);
};

it("reports rate ages and maximum ages of active corridors", async () => {
  const corridors = openCorridors(database);
  const metrics = createMetrics("quote");
  const read = rateAges({ corridors, metrics, clock: { now: () => now }, log: silentLog });
  const shown = async () => {
    await read();
    const lines = (await metrics.text()).match(/^disburse_quote_rate_.*$/gm) ?? [];
    return lines.map((line) => line.replace(',service="quote"', "").replace("disburse_quote_", ""));
  };
  await set({ destination: "USDC", rateMaxAgeSeconds: 0 });
  const { id: corridorId } = await set({});
  await set({ destination: "BTC", active: false });
  const rate = parseDecimal("83.1");
  if (rate === undefined) throw new Error("no rate");
  for (const [ageMs, receivedMs] of [
    [90_000, 2_000],
    [45_000, 1_000],
  ] as const) {
    const asOf = new Date(now.getTime() - ageMs);
    const added = { corridorId, rate: { rate, asOf, source: "test" } };
    await addRate(corridors, added, change(), new Date(receivedMs));
  }
  expect(await shown()).toEqual([
    'rate_age_seconds{corridor="USD-INR"} 45',
    'rate_max_age_seconds{corridor="USD-INR"} 60',
    'rate_max_age_seconds{corridor="USD-USDC"} 0',
  ]);
  await set({ active: false });
  expect(await shown()).toEqual(['rate_max_age_seconds{corridor="USD-USDC"} 0']);
});

it("reads again after its pause, not at once", async () => {
  let reads = 0;
  const clock = {
    now: () => {
      reads += 1;
      return now;
    },
  };
  const corridors = openCorridors(database);
  const loop = startRateAges({ corridors, metrics: createMetrics("quote"), clock, log: silentLog });
  await expect.poll(() => reads).toBe(1);
  // Waits for as long as a few reads take.
  for (let at = 0; at < 5; at += 1) await activeCorridors(corridors, 1);
  await loop.stop();
  expect(reads).toBe(1);
});
