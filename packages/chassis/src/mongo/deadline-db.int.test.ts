import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import { intercepted } from "@disburse/testkit/intercept.ts";
import { type Db, MongoOperationTimeoutError, MongoServerError } from "mongodb";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { withCallContext } from "../call-context.ts";
import { connectDatabase, type Database, isDatabaseUnavailable } from "./database.ts";
import { deadlineDb } from "./deadline-db.ts";

type Row = { _id: string; n: number };

let database: Database;
/** Called for each insert. */
let fault: (insert: () => Promise<unknown>) => Promise<unknown>;
let rows: ReturnType<typeof rowsOf>;

const rowsOf = (db: Db) => deadlineDb(db).collection<Row>("rows");
const within = <T>(ms: number, work: () => T): T =>
  withCallContext({ requestId: "r", deadlineMs: Date.now() + ms }, work);

beforeAll(async () => {
  const name = freshDatabase("deadline");
  database = await connectDatabase(mongodbUri(name), name);
  const collection = (each: string) =>
    intercepted(database.db.collection(each), ["insertOne"], (insert) => fault(insert));
  rows = rowsOf(Object.assign(Object.create(database.db), { collection }));
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});
beforeEach(async () => {
  fault = (insert) => insert();
  await rows.deleteMany({});
});

it("returns what the driver returns, also of cursors", async () => {
  await within(60_000, async () => {
    await rows.insertOne({ _id: "b", n: 2 });
    await rows.insertOne({ _id: "a", n: 1 });
    const sorted = rows.find({}).sort({ n: 1 }).limit(2);
    expect((await sorted.toArray()).map(({ _id }) => _id)).toEqual(["a", "b"]);
    const seen: string[] = [];
    for await (const { _id } of rows.find({}).sort({ n: -1 })) seen.push(_id);
    expect(seen).toEqual(["b", "a"]);
    expect(await rows.aggregate([{ $count: "count" }]).toArray()).toEqual([{ count: 2 }]);
    expect(rows.collectionName).toBe("rows");
    await expect(rows.insertOne({ _id: "a", n: 1 })).rejects.toThrow(MongoServerError);
  });
});

it("ends a command at its request's deadline, as one with an unknown outcome", async () => {
  const hung = Promise.withResolvers<void>();
  fault = (insert) => hung.promise.then(insert);
  const startedAt = performance.now();
  const late = await within(50, () =>
    rows.insertOne({ _id: "late", n: 1 }).catch((error: unknown) => error),
  );
  expect(late).toBeInstanceOf(MongoOperationTimeoutError);
  expect(isDatabaseUnavailable(late)).toBe(true);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  hung.resolve();
  await expect.poll(() => rows.countDocuments({ _id: "late" })).toBe(1);
});

it("ends each read of a cursor at the deadline", async () => {
  const options = { capped: true, size: 4_096 };
  await deadlineDb(database.db).createCollection("tail", options);
  const tail = deadlineDb(database.db).collection<Row>("tail");
  await tail.insertOne({ _id: "a", n: 1 });
  // After the first document, the database waits for another one.
  const waiting = { tailable: true, awaitData: true, maxAwaitTimeMS: 1_000 };
  const listed = within(100, () => tail.find({}, waiting).toArray());
  await expect(listed).rejects.toThrow(MongoOperationTimeoutError);
  const iterated = within(100, async () => {
    for await (const row of tail.find({}, waiting)) expect(row._id).toBe("a");
  });
  await expect(iterated).rejects.toThrow(MongoOperationTimeoutError);
});

it("lets background work wait", async () => {
  const hung = Promise.withResolvers<void>();
  fault = (insert) => hung.promise.then(insert);
  const inserted = rows.insertOne({ _id: "slow", n: 1 });
  setTimeout(hung.resolve, 100);
  expect(await inserted).toMatchObject({ insertedId: "slow" });
});
