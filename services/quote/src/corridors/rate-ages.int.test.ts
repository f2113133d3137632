import { silentLog } from "@disburse/chassis/log.ts";
import { createMetrics } from "@disburse/chassis/metrics.ts";
import { parseDecimal } from "@disburse/kernel/decimal.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import { rateAges } from "./rate-ages.ts";
import { type CorridorText, readCorridor } from "./rules/corridor.ts";
import { addRate, openCorridors, setCorridor } from "./store.ts";

const now = new Date("2026-01-01T00:00:00Z");
const change = () => ({
  ...{ operationId: crypto.randomUUID(), actor: { kind: "service", id: "test" } as const },
});

it("shows how old the rates of active corridors are, and how old they may be", async () => {
  const database = await migratedDatabase("rate_ages", migrations);
  const corridors = openCorridors(database);
  const metrics = createMetrics("quote");
  const read = rateAges({ corridors, metrics, clock: { now: () => now }, log: silentLog });
  const shown = async () => {
    await read();
    const lines = (await metrics.text()).match(/^disburse_quote_rate_.*$/gm) ?? [];
    return lines.map((line) => line.replace(',service="quote"', "").replace("disburse_quote_", ""));
  };
  const set = (own: Partial<CorridorText>) => {
    const text: CorridorText = {
      ...{ source: "USD", destination: "INR", active: true, feeShare: "0", feeFlat: "0" },
      ...{ sourceMin: "", sourceMax: "", receivingMin: "", receivingMax: "" },
      ...{ quoteTtlSeconds: 0, rateMaxAgeSeconds: 60, ...own },
    };
    const terms = readCorridor(text);
    if (!("source" in terms)) throw new Error("no terms");
    return setCorridor(corridors, terms, change(), now);
  };
  const { id: corridorId } = await set({});
  await set({ destination: "USDC", rateMaxAgeSeconds: 0 });
  await set({ destination: "BTC", active: false });
  const rate = parseDecimal("83.1");
  if (rate === undefined) throw new Error("no rate");
  for (const ageMs of [90_000, 45_000]) {
    const asOf = new Date(now.getTime() - ageMs);
    await addRate(corridors, { corridorId, rate: { rate, asOf, source: "test" } }, change(), now);
  }
  expect(await shown()).toEqual([
    'rate_age_seconds{corridor="USD-INR"} 45',
    'rate_max_age_seconds{corridor="USD-INR"} 60',
    'rate_max_age_seconds{corridor="USD-USDC"} 0',
  ]);
  await set({ active: false });
  expect(await shown()).toEqual(['rate_max_age_seconds{corridor="USD-USDC"} 0']);
  await database.db.dropDatabase();
  await database.close();
});
