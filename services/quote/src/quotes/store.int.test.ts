import type { Database } from "@disburse/chassis/mongo/database.ts";
import { migratedDatabase } from "@disburse/testkit/engine.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { migrations } from "../migrations.ts";
import type { Quote } from "./rules/quote.ts";
import { openQuotes } from "./store.ts";

let database: Database;
beforeAll(async () => {
  database = await migratedDatabase("quotes", migrations);
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const at = new Date("2026-01-01T00:00:00Z");
const quote = (id: string, merchantId: string): Quote => ({
  ...{ state: "open", id, merchantId, accountId: "acc_1", corridorId: "cor_1" },
  ...{ source: "USD", destination: "INR", rate: { units: 83n, scale: 0 } },
  amounts: { source: 100n, fees: 1n, converted: 99n, receiving: 8_217n },
  ...{
    rateAsOf: at,
    rateSource: "test",
    returnCharges: "platform",
    createdAt: at,
    updatedAt: at,
    expiresAt: at,
  },
  metadata: {},
  fixed: "source",
  reissueOf: "",
  beneficiary: {
    ...{ id: "ben_1", name: "A", accountNumberMasked: "*1", transferMethod: "LOCAL", network: "" },
    destinationKeys: ["account_1"],
  },
});

it("separates merchants' operations: an equal id never returns another merchant's quote", async () => {
  const quotes = openQuotes(database);
  const actor = { kind: "service", id: "test" } as const;
  const by = { operationId: "op-1", content: "asked", actor };
  const [one, two] = [quote("qt_1", "mer_1"), quote("qt_2", "mer_2")];
  expect(await quotes.findByOperation("mer_1", by)).toBeUndefined();
  for (const each of [one, two]) expect(await quotes.insert(each, by)).toEqual(each);
  for (const first of [one, two]) {
    expect(await quotes.findByOperation(first.merchantId, by)).toEqual(first);
    expect(await quotes.insert(quote("qt_again", first.merchantId), by)).toEqual(first);
  }
});
