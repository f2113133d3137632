import { silentLog } from "@disburse/chassis/log.ts";
import { type Migration, migrateDatabase } from "@disburse/chassis/mongo/migrations.ts";
import { migrations as payoutMigrations } from "@disburse/payout/migrations.ts";
import { migrations as quoteMigrations } from "@disburse/quote/migrations.ts";
import { mongodbUri } from "@disburse/testkit/engine.ts";
import { startTestPlatform, type TestPlatform } from "@disburse/testkit/platform.ts";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { paths } from "./bodies.ts";
import { type Payer, payerOf } from "./payer.ts";

/** Runs the next release's migration beside this release (docs/operators/migrations.md). */

let platform: TestPlatform;
let acme: Payer;
beforeAll(async () => {
  platform = await startTestPlatform({ SANDBOX_SETTLE_MS: "100" });
  acme = payerOf(platform, "acme");
});
afterAll(() => platform?.stop());

/** A migration step that the next release might have: a new field with an index. */
const nextStep = (collection: string): Migration => ({
  name: "expand: batches",
  up: async (db) => {
    const documents = db.collection(collection);
    await documents.createIndex({ merchant_id: 1, batch: 1 }, { name: "batch" });
    await documents.updateMany({ batch: { $exists: false } }, { $set: { batch: "" } });
  },
});

const steps = [
  ["payout", "payouts", payoutMigrations],
  ["quote", "quotes", quoteMigrations],
] as const;

const migrateToNext = () =>
  Promise.all(
    steps.map(([service, collection, migrations]) => {
      const name = platform.database(service);
      const database = { uri: mongodbUri(name), name };
      return migrateDatabase(database, [...migrations, nextStep(collection)], silentLog);
    }),
  );

async function movedIn(service: "payout" | "quote", collection: string): Promise<number> {
  const { db, close } = await platform.openDatabase(service);
  return db
    .collection(collection)
    .countDocuments({ batch: "" })
    .finally(() => close());
}

it("payouts are made while the next release migrates, and a replica of this one starts then", async () => {
  const load = { isOver: false, paid: [] as string[] };
  const paying = (async () => {
    while (!load.isOver) load.paid.push(await acme.pay(`next-${load.paid.length}`));
  })();
  const paidMore = async () => {
    const { length } = load.paid;
    await vi.waitFor(() => expect(load.paid.length).toBeGreaterThan(length), 30_000);
  };
  await paidMore();
  await migrateToNext();
  for (const [service, collection] of steps) {
    expect(await movedIn(service, collection)).toBeGreaterThan(0);
    const replica = await platform.startBeside(service);
    await paidMore();
    await replica.end(service);
  }
  load.isOver = true;
  await paying;
  for (const id of load.paid) {
    await vi.waitFor(async () => {
      const payout = await acme.data("GET", `${paths.payouts}/${id}`);
      expect(payout).toMatchObject({ sub_status: "settled" });
    }, 30_000);
  }
});
