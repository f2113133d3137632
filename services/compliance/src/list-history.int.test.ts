import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connectDatabase, type Database } from "@disburse/chassis/mongo.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { changedEntriesOf } from "./changed-entries.ts";
import { arrivedFiles } from "./import-files.ts";
import { importList } from "./list-import.ts";
import { type ListStore, openListStore } from "./list-store.ts";

/** Whole snapshots of OFAC's list beside the project, where they are there at all. */
const folder = join(
  import.meta.dirname,
  "../../../../shared/data/sanctions/lists/ofac_sdn/history",
);
const hasHistory = existsSync(folder);

let database: Database;
let lists: ListStore;
beforeAll(async () => {
  const name = freshDatabase("history");
  database = await connectDatabase(mongodbUri(name), name);
  lists = await openListStore(database);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const actor = { kind: "service", id: "test" } as const;
function importDay(date: string, file: string) {
  const request = { list: "sdn", version: date, format: "ofac_csv", operationId: date } as const;
  const bytes = Uint8Array.from(readFileSync(join(folder, file)));
  const deps = { lists, clock: { now: () => new Date(date) }, ended: () => undefined };
  const files = arrivedFiles([{ name: "primary", bytes }]);
  return importList(deps, { ...request, actor, acceptDropReason: "" }, files);
}

describe("the SDN list of spring 2024, day by day", () => {
  const what = "comes into force each time, but for the real empty download (skipped without it)";
  it.skipIf(!hasHistory)(what, async () => {
    const days: unknown[] = [];
    const importIds: string[] = [];
    for (const date of ["2024-02-23", "2024-04-26", "2024-05-01", "2024-05-02"]) {
      const imported = await importDay(date, `sdn_${date}.csv.gz`);
      if (isRefused(imported)) throw new Error(imported.detail);
      const { version, change } = imported;
      days.push([version.version, version.entries, change.added, change.changed, change.removed]);
      importIds.push(version.importId);
    }
    expect(days).toEqual([
      ["2024-02-23", 14_484, 14_484, 0, 0],
      ["2024-04-26", 14_668, 282, 30, 98],
      ["2024-05-01", 14_966, 298, 0, 0],
      ["2024-05-02", 14_973, 7, 0, 0],
    ]);

    const empty = await importDay("2024-05-04", "sdn_2024-05-04_empty.csv");
    expect(empty).toMatchObject({ refused: "INVALID_REQUEST" });
    expect((await lists.listInForce("sdn"))?.version.version).toBe("2024-05-02");
    const tries = await lists.listImports("sdn", undefined, 10);
    expect(tries[0]).toMatchObject({ state: "refused", version: { version: "2024-05-04" } });

    // Every version is kept: any two can be compared later.
    const [first, , , last] = importIds.map((importId) => [{ list: "sdn", importId }]);
    const [difference] = await changedEntriesOf(lists)(first ?? [], last ?? []);
    const { added = [], changed = [], removed = [] } = difference ?? {};
    expect([added.length, changed.length, removed.length]).toEqual([587, 60, 98]);
  });
});
