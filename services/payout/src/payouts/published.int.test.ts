import type { Database } from "@disburse/chassis/mongo/database.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import type { Payouts } from "./document.ts";
import { listPublished } from "./published.ts";
import { after, claimedAt, storedPayout } from "./test-documents.ts";

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("payout", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const published = (_id: string, seconds: number) =>
  storedPayout({ _id, published_at: after(seconds), outbox: [] });

it("published events of a span are in pages of any size, by time and then by id", async () => {
  // Its index doesn't order by id.
  const plain: Payouts = database.db.collection("payouts_by_time");
  await plain.createIndex({ published_at: 1 }, { name: "published" });
  await plain.insertMany([
    published("po_c", 2),
    published("po_late", 4),
    published("po_b", 2),
    published("po_d", 3.999),
    published("po_a", 2),
    published("po_0", 2.5),
    published("po_early", 0.999),
    published("po_z", 1),
    storedPayout({ _id: "po_pending" }),
  ]);
  const span = { from: after(1), to: after(4) };
  for (const limit of [1, 2, 3, 10]) {
    const seen: string[] = [];
    let last: { at: Date; id: string } | undefined;
    for (;;) {
      const page = await listPublished(plain, span, { after: last, limit });
      seen.push(...page.map(({ id }) => id));
      const end = page.at(-1);
      if (end === undefined) break;
      last = { at: end.publishedAt, id: end.id };
    }
    expect(seen.join(" ")).toBe("po_z po_a po_b po_c po_0 po_d");
  }
  const earlier = { after: { at: after(0), id: "po_early" }, limit: 1 };
  expect(await listPublished(plain, span, earlier)).toEqual([
    {
      ...{ id: "po_z", merchantId: "mer_1", createdAt: claimedAt, publishedAt: after(1) },
      versions: [1],
    },
  ]);
});
