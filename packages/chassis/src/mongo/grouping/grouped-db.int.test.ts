import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import {
  BSON,
  Collection,
  type Db,
  Decimal128,
  type Document,
  MongoClient,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoWriteConcernError,
} from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { isDatabaseUnavailable, isDuplicateKey } from "../database.ts";
import { bulkWriteOf, hasBulkWrite } from "./group-commit.ts";
import { findWithTime, groupedDb } from "./grouped-db.ts";
import type { ObserveBatch } from "./observe.ts";

type Row = Document & { _id: string };

const observe = vi.fn<ObserveBatch>();
const name = freshDatabase("grouping");
const writeConcern = { w: "majority", journal: true } as const;
const client = new MongoClient(mongodbUri(name), { writeConcern, ignoreUndefined: true });
const plain: Collection<Row> = client.db(name).collection("rows");
/** A server older than MongoDB 8.0 has the second way only. */
const hasBulk = hasBulkWrite(await client.db("admin").command({ hello: 1 }));
const together = groupedDb(client.db(name), bulkWriteOf(client), observe);
const single = groupedDb(client.db(name), undefined, observe);
const ways: [string, Db][] = [
  ...(hasBulk ? [["in one command", together] satisfies [string, Db]] : []),
  ["in a command for each write", single],
];

beforeAll(() => plain.createIndex({ key: 1 }, { unique: true, sparse: true }));
afterAll(async () => {
  await client.db(name).dropDatabase();
  await client.close();
});
beforeEach(async () => {
  await plain.deleteMany({});
  observe.mockClear();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const sizes = (kind: "write" | "read") =>
  observe.mock.calls.filter(([each]) => each === kind).map(([, { size }]) => size);

/** Returns the results or errors of the driver's own method and of ours. */
async function bothWays(
  grouped: Collection<Row>,
  run: (rows: Collection<Row>) => Promise<unknown>,
  before: readonly Row[],
) {
  const outcomes: unknown[] = [];
  for (const rows of [plain, grouped]) {
    await plain.deleteMany({});
    if (before.length > 0) await plain.insertMany([...before]);
    const outcome = await run(rows).catch((error: Error) => ({
      ...{ is: error.constructor.name, code: (error as MongoServerError).code },
      ...{ isDuplicateKey: isDuplicateKey(error), isUnavailable: isDatabaseUnavailable(error) },
    }));
    outcomes.push({ outcome, after: await plain.find().sort({ _id: 1 }).toArray() });
  }
  return outcomes;
}

const a = { _id: "a", key: "k", n: 1 };
const at = new Date(5);

describe.each(ways)("%s", (_way, db) => {
  const grouped = db.collection<Row>("rows");
  const other = db.collection<Row>("others");

  describe("a grouped operation answers as the driver's own", () => {
    it.each<[string, (rows: Collection<Row>) => Promise<unknown>, readonly Row[]]>([
      ["insert", (rows) => rows.insertOne({ ...a }), []],
      ["insert of a document that is there", (rows) => rows.insertOne({ ...a }), [a]],
      ["insert of a unique key", (rows) => rows.insertOne({ _id: "b", key: "k" }), [a]],
      ["update", (rows) => rows.updateOne({ _id: "a" }, { $set: { n: 2 } }), [a]],
      [
        "update that changes nothing",
        (rows) => rows.updateOne({ _id: "a" }, { $set: { n: 1 } }),
        [a],
      ],
      ["update of none", (rows) => rows.updateOne({ _id: "b" }, { $set: { n: 1 } }), [a]],
      [
        "update to a unique key",
        (rows) => rows.updateOne({ _id: "b" }, { $set: { key: "k" } }),
        [a, { _id: "b" }],
      ],
      [
        "update by a pipeline",
        (rows) => rows.updateOne({ _id: "a" }, [{ $set: { n: { $add: ["$n", 4] } } }]),
        [a],
      ],
      [
        "upsert of a new document",
        (rows) => rows.updateOne({ _id: "b" }, { $set: { n: 1 } }, { upsert: true }),
        [a],
      ],
      [
        "upsert of a document that is there",
        (rows) => rows.updateOne({ _id: "a" }, { $set: { n: 3 } }, { upsert: true }),
        [a],
      ],
      [
        "update of an array's element",
        (rows) =>
          rows.updateOne(
            { _id: "a" },
            { $set: { "of.$[one].n": 3 } },
            { arrayFilters: [{ "one.id": 2 }] },
          ),
        [{ ...a, of: [{ id: 1 }, { id: 2 }] }],
      ],
      [
        "update by an operator that is none",
        (rows) => rows.updateOne({ _id: "a" }, { $no: { n: 1 } } as never),
        [a],
      ],
      ["update without operators", (rows) => rows.updateOne({ _id: "a" }, { n: 1 } as never), [a]],
      ["undefined fields", (rows) => rows.insertOne({ _id: "b", n: undefined }), []],
      [
        "undefined fields of an update",
        (rows) => rows.updateOne({ _id: "a" }, { $set: { n: 2, m: undefined } }),
        [a],
      ],
      ["replacement", (rows) => rows.replaceOne({ _id: "a" }, { m: 1 }), [a]],
      ["replacement of none", (rows) => rows.replaceOne({ _id: "b" }, { m: 1 }), [a]],
      [
        "replacement that inserts",
        (rows) => rows.replaceOne({ _id: "b" }, { m: 1 }, { upsert: true }),
        [a],
      ],
      ["deletion", (rows) => rows.deleteOne({ _id: "a" }), [a]],
      ["deletion of none", (rows) => rows.deleteOne({ _id: "b" }), [a]],
      [
        "reading",
        (rows) => rows.findOne({ _id: "a" }),
        [{ ...a, at: new Date(0), sum: Decimal128.fromString("1.50"), of: [1] }],
      ],
      ["reading of none", (rows) => rows.findOne({ _id: "b" }), [a]],
      ["reading by another field too", (rows) => rows.findOne({ _id: "a", key: "k" }), [a]],
      ["reading with another owner", (rows) => rows.findOne({ _id: "a", key: "other" }), [a]],
      [
        "reading by a field that is not there",
        (rows) => rows.findOne({ _id: "a", owner: "x" }),
        [a],
      ],
      [
        "reading by an element of an array",
        (rows) => rows.findOne({ _id: "a", of: "x" }),
        [{ ...a, of: ["x", "y"] }],
      ],
      [
        "reading by a nested field",
        (rows) => rows.findOne({ _id: "a", "of.x": "y" }),
        [{ ...a, of: { x: "y" } }],
      ],
      ["reading by a time", (rows) => rows.findOne({ _id: "a", at: new Date(5) }), [{ ...a, at }]],
      ["reading by nothing there", (rows) => rows.findOne({ _id: "a", m: null } as never), [a]],
      ["reading with a comment", (rows) => rows.findOne({ _id: "a", $comment: "why" }), [a]],
      ["reading by a key that is no id", (rows) => rows.findOne({ key: "k" }), [a]],
      ["reading of any", (rows) => rows.findOne(), [a]],
      ["reading by an operator", (rows) => rows.findOne({ _id: "a", n: { $gt: 1 } }), [a]],
    ])("%s", async (_what, run, before) => {
      const [driver, ours] = await bothWays(grouped, run, before);
      expect(ours).toEqual(driver);
    });
  });

  describe("operations of a turn go out together", () => {
    it("in one batch for all collections, reads in one for each collection", async () => {
      const ids = ["1", "2", "3", "4"];
      const bulk = vi.spyOn(client, "bulkWrite");
      await Promise.all(
        ids.flatMap((_id) => [grouped.insertOne({ _id }), other.insertOne({ _id })]),
      );
      expect(bulk).toHaveBeenCalledTimes(db === together ? 1 : 0);
      await vi.waitFor(() => expect(sizes("write")).toEqual([8]));
      const found = await Promise.all(["3", "1", "3", "9"].map((_id) => grouped.findOne({ _id })));
      expect(found).toEqual([{ _id: "3" }, { _id: "1" }, { _id: "3" }, null]);
      expect(sizes("read")).toEqual([4]);
      await Promise.all(ids.map((_id) => other.deleteOne({ _id })));
    });

    it("even if each caller opens the collection itself", async () => {
      await plain.insertOne({ ...a });
      const asked = () => db.collection<Row>("rows").findOne({ _id: "a" });
      expect(await Promise.all([asked(), asked()])).toEqual([a, a]);
      expect(sizes("read")).toEqual([2]);
    });

    it("also where a reader compares another field with a text or a truth value", async () => {
      await plain.insertOne({ ...a, on: true });
      const filters = [{ key: "k" }, { on: true }, { on: false }];
      const found = await Promise.all(
        filters.map((each) => grouped.findOne({ _id: "a", ...each })),
      );
      expect(found).toEqual([{ ...a, on: true }, { ...a, on: true }, null]);
      expect(sizes("read")).toEqual([3]);
    });

    it("shares no document between two readers", async () => {
      await grouped.insertOne({ ...a, of: { x: 1 } });
      const [one, two] = await Promise.all([
        grouped.findOne({ _id: "a" }),
        grouped.findOne({ _id: "a" }),
      ]);
      (one as Row).of.x = 2;
      expect(two).toEqual({ ...a, of: { x: 1 } });
    });

    it("gives each write only its own error", async () => {
      await plain.insertOne(a);
      const writes = [
        grouped.insertOne({ _id: "b" }),
        grouped.insertOne({ ...a }),
        grouped.updateOne({ _id: "a" }, { $inc: { key: 1 } }),
        grouped.insertOne({ _id: "c" }),
      ];
      const settled = await Promise.allSettled(writes);
      expect(settled.map(({ status }) => status)).toEqual([
        "fulfilled",
        "rejected",
        "rejected",
        "fulfilled",
      ]);
      expect(isDuplicateKey((settled[1] as PromiseRejectedResult).reason)).toBe(true);
      expect(isDuplicateKey((settled[2] as PromiseRejectedResult).reason)).toBe(false);
      expect(await plain.countDocuments()).toBe(3);
    });

    it("does not let a write that the driver refuses take others with it", async () => {
      const cyclic: Row = { _id: "x" };
      cyclic.self = cyclic;
      const settled = await Promise.allSettled([
        grouped.insertOne({ _id: "b" }),
        grouped.replaceOne({ _id: "d" }, { $set: { n: 1 } } as never),
        grouped.insertOne({ _id: "c" }),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      await expect(grouped.insertOne(cyclic)).rejects.toThrow();
      expect(await plain.countDocuments()).toBe(2);
    });

    it("keeps the order of the writes of one document", async () => {
      await plain.insertOne({ _id: "a", log: [] });
      const numbers = Array.from({ length: 20 }, (_each, at) => at);
      await Promise.all(
        numbers.map((each) => grouped.updateOne({ _id: "a" }, { $push: { log: each } as never })),
      );
      expect((await plain.findOne({ _id: "a" }))?.log).toEqual(numbers);
      expect(sizes("write")).toEqual(numbers.map(() => 1));
    });

    it("reads the result of a completed write", async () => {
      for (let n = 0; n < 20; n += 1) {
        await grouped.updateOne({ _id: "a" }, { $set: { n } }, { upsert: true });
        expect((await grouped.findOne({ _id: "a" }))?.n).toBe(n);
      }
    });
  });

  it("leaves operations with options to the driver", async () => {
    await grouped.insertOne({ _id: "b", n: 1 }, { comment: "alone" });
    expect(await grouped.findOne({ _id: "b" }, { projection: { _id: 1 } })).toEqual({ _id: "b" });
    await grouped.updateOne({ _id: "b" }, { $set: { n: 2 } }, { hint: "_id_" });
    await grouped.deleteOne({ _id: "b" }, { comment: "alone" });
    const { insertedId } = await grouped.insertOne({ n: 1 } as never);
    expect(insertedId).toBeDefined();
    expect(observe).not.toHaveBeenCalled();
  });

  it("reads with the database's time", async () => {
    await plain.insertMany([a, { _id: "b" }]);
    const ids = ["a", "b", "c"];
    const found = await Promise.all(ids.map((id) => findWithTime(grouped, id)));
    expect(found).toEqual([
      { ...a, now: expect.any(Date) },
      { _id: "b", now: expect.any(Date) },
      null,
    ]);
    expect(await findWithTime(plain, "b")).toEqual({ _id: "b", now: expect.any(Date) });
    expect(await findWithTime(plain, "c")).toBeNull();
    expect(sizes("read")).toEqual([3]);
  });
});

const failed = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((each) => (each as PromiseRejectedResult).reason);
const shuttingDown = () => new MongoServerError({ code: 91, message: "shutting down" });

describe("where the outcome of a command is unknown", () => {
  const grouped = together.collection<Row>("rows");

  it("fails every write of a batch whose connection is lost", async () => {
    vi.spyOn(client, "bulkWrite").mockRejectedValueOnce(shuttingDown());
    const settled = await Promise.allSettled(["1", "2"].map((_id) => grouped.insertOne({ _id })));
    expect(failed(settled).map(isDatabaseUnavailable)).toEqual([true, true]);
    expect(failed(settled).map(isDuplicateKey)).toEqual([false, false]);
  });

  it.each([
    ["the client was closed", new MongoNotConnectedError("closed")],
    ["the answer was no document", new BSON.BSONError("bad length")],
  ])("sends no write of a batch again if %s", async (_what, error) => {
    vi.spyOn(client, "bulkWrite").mockRejectedValueOnce(error);
    const settled = await Promise.allSettled(["1", "2"].map((_id) => grouped.insertOne({ _id })));
    expect(settled).toEqual(settled.map(() => ({ status: "rejected", reason: error })));
    expect(await plain.countDocuments()).toBe(0);
  });

  it.each([
    ["a server that shuts down", shuttingDown()],
    ["a lost connection", new MongoNetworkError("closed")],
    [
      "a missing majority",
      new MongoWriteConcernError({ writeConcernError: { code: 64, errmsg: "timed out" } } as never),
    ],
  ])("%s fails only the write with that command, and is not a refusal", async (_what, error) => {
    const insert = vi.spyOn(Collection.prototype, "insertOne").mockRejectedValueOnce(error);
    const rows = single.collection<Row>("rows");
    const settled = await Promise.allSettled(["1", "2"].map((_id) => rows.insertOne({ _id })));
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    expect(failed(settled)[0]).toBe(error);
    expect(isDatabaseUnavailable(error)).toBe(true);
    expect(insert).toHaveBeenCalledTimes(2);
    expect(await plain.distinct("_id")).toEqual(["2"]);
  });
});
