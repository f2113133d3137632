import { connectDatabase, type Database } from "@disburse/chassis/mongo/database.ts";
import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import type { OptionalUnlessRequiredId } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createMemoryDatabase } from "./memory-database.ts";
import type { ContractCase, Row } from "./test-contract-case.ts";
import { contractCases } from "./test-contract-cases.ts";

let real: Database;

beforeAll(async () => {
  const name = freshDatabase("contract");
  real = await connectDatabase(mongodbUri(name), name);
});
afterAll(async () => {
  await real.db.dropDatabase();
  await real.close();
});

async function answerOf({ rows, run }: ContractCase, database: Database, at: number) {
  const collection = database.db.collection<Row>(`case_${at}`);
  if (rows.length > 0) {
    await collection.insertMany(rows as readonly OptionalUnlessRequiredId<Row>[] as never);
  }
  return run(collection, database);
}

/** No store relies on this case. */
const ofRecentServers = "null through an array takes elements without the field";

describe("the simulated store answers as the real one", () => {
  const simulated = createMemoryDatabase(() => new Date());
  const memory = simulated.connect(simulated.direct);

  test.for(contractCases.map((each, at) => ({ ...each, at })))("$name", async (each, { skip }) => {
    skip(!real.isBulk && each.name === ofRecentServers, "MongoDB 6.0 takes fewer rows");
    const expected = await answerOf(each, real, each.at);
    expect(await answerOf(each, memory, each.at)).toEqual(expected);
  });
});
