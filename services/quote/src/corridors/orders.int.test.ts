import type { Database } from "@disburse/chassis/mongo/database.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import {
  activeCorridors,
  addRate,
  type CorridorStore,
  latestRate,
  listCorridors,
  openCorridors,
  setCorridor,
} from "./store.ts";

/** Without indexes, because index order would hide a missing sort. */
let database: Database;
let store: CorridorStore;
beforeAll(async () => {
  database = await migratedDatabase("orders", []);
  store = openCorridors(database);
});
beforeEach(() => database.db.dropDatabase());
afterAll(() => database.close());

let operations = 0;
const change = () => {
  operations += 1;
  return { operationId: `op-${operations}`, actor: { kind: "service", id: "test" } as const };
};
const unbound = {
  ...{ sourceMin: undefined, sourceMax: undefined },
  ...{ receivingMin: undefined, receivingMax: undefined },
};
const set = (source: string, destination: string) => {
  const fee = { share: { units: 0n, scale: 0 }, flatMinor: 0n };
  const terms = { source, destination, active: true, fee, limits: unbound };
  const times = { quoteTtlSeconds: 0, rateMaxAgeSeconds: 0, returnCharges: "platform" } as const;
  return setCorridor(store, { ...terms, ...times }, change(), new Date(0));
};
const rate = (corridorId: string, units: bigint, asOfMs: number, receivedMs: number) => {
  const added = { rate: { units, scale: 0 }, asOf: new Date(asOfMs), source: "test" };
  return addRate(store, { corridorId, rate: added }, change(), new Date(receivedMs));
};

it("the rate in force has the latest time; of two equal times, the later arrival", async () => {
  await rate("cor_1", 3n, 1_000, 9_000);
  await rate("cor_1", 4n, 2_000, 7_000);
  await rate("cor_1", 5n, 2_000, 8_000);
  await rate("cor_2", 6n, 9_000, 9_000);
  expect(await latestRate(store, "cor_1")).toMatchObject({ rate: { units: 5n } });
  expect(await latestRate(store, "cor_none")).toBeUndefined();
});

it("a page has each corridor's rate in force, in one query", async () => {
  const { id: paired } = await set("BTC", "INR");
  await set("SOL", "BTC");
  await rate(paired, 4n, 2_000, 7_000);
  await rate(paired, 5n, 2_000, 8_000);
  await rate(paired, 3n, 1_000, 9_000);
  const reads = [vi.spyOn(store.rates, "findOne"), vi.spyOn(store.rates, "find")];
  const { found } = await listCorridors(store, "", { after: undefined, limit: 10 });
  expect(found.map(({ source, rate: latest }) => [source, latest?.rate.units])).toEqual([
    ["BTC", 5n],
    ["SOL", undefined],
  ]);
  for (const read of reads) expect(read).not.toHaveBeenCalled();
});

it("corridors are listed by pair, up to the limit", async () => {
  for (const [source, destination] of [
    ["SOL", "BTC"],
    ["BTC", "SOL"],
    ["BTC", "INR"],
  ] as const) {
    const { id } = await set(source, destination);
    await rate(id, 1n, 1_500, 3_000);
    await rate(id, 1n, 2_000, 3_000);
    await rate(id, 1n, 1_000, 4_000);
  }
  const { found, count } = await listCorridors(store, "", { after: undefined, limit: 2 });
  const active = await activeCorridors(store, 2);
  for (const listed of [found, active.map(({ corridor }) => corridor)]) {
    expect(listed.map((each) => each.source + each.destination)).toEqual(["BTCINR", "BTCSOL"]);
  }
  expect(count).toBe(3);
  expect(active.map(({ rateAsOf }) => rateAsOf)).toEqual([new Date(2_000), new Date(2_000)]);
});
