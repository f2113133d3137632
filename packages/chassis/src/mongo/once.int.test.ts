import { freshDatabase, mongodbUri } from "@disburse/testkit/engine.ts";
import type { Collection } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectDatabase, type Database } from "./database.ts";
import { insertOnce, insertOrFind, onceByKey, upsertOnce } from "./once.ts";

type Row = { _id: string; operation: string; changes?: string[] };

let database: Database;
let rows: Collection<Row>;
beforeAll(async () => {
  const name = freshDatabase("once");
  database = await connectDatabase(mongodbUri(name), name);
  rows = database.db.collection("rows");
  await rows.createIndex({ operation: 1 }, { unique: true });
});
afterAll(async () => {
  await database.db.dropDatabase();
  await database.close();
});

const brokenWrite = () => rows.updateOne({}, { $set: { _id: 1 } } as object);

describe("insertOnce", () => {
  it("inserts once among many that try at the same time", async () => {
    const tries = Array.from({ length: 8 }, (_, at) =>
      insertOnce(rows, { _id: "a", operation: `a${at}` }),
    );
    expect((await Promise.all(tries)).filter(Boolean)).toHaveLength(1);
    expect(await rows.countDocuments({ _id: "a" })).toBe(1);
  });

  it("returns false for the key of any unique index", async () => {
    expect(await insertOnce(rows, { _id: "b", operation: "b" })).toBe(true);
    expect(await insertOnce(rows, { _id: "c", operation: "b" })).toBe(false);
    expect(await rows.findOne({ _id: "c" })).toBeNull();
  });
});

describe("insertOrFind", () => {
  it("returns the first document, and fails if the write failed for another reason", async () => {
    const first = { _id: "first", operation: "first" };
    expect(await insertOrFind(rows, first, { _id: "first" })).toBe(first);
    expect(
      await insertOrFind(rows, { _id: "second", operation: "first" }, { operation: "first" }),
    ).toEqual(first);
    const broken = Object.assign(Object.create(rows), {
      insertOne: async () => Promise.reject(new Error("the database is away")),
    });
    const repeated = insertOrFind(broken, { _id: "first", operation: "first" }, { _id: "first" });
    await expect(repeated).rejects.toThrow("away");
  });
});

describe("insertOrFind of a document that is removed meanwhile", () => {
  const again = { _id: "again", operation: "removed" };

  it("inserts it", async () => {
    await rows.insertOne({ _id: "removed", operation: "removed" });
    const removing = Object.assign(Object.create(rows), {
      findOne: async () => {
        await rows.deleteOne({ _id: "removed" });
        return null;
      },
    });
    expect(await insertOrFind(removing, again, { operation: "removed" })).toBe(again);
    expect(await rows.findOne({ operation: "removed" })).toEqual(again);
  });

  it("fails if another document stays in the way", async () => {
    const other = { _id: "another", operation: "removed" };
    await expect(insertOrFind(rows, other, { _id: "another" })).rejects.toThrow("E11000");
  });
});

describe("onceByKey", () => {
  it("returns false for an upsert whose key exists, and changes nothing", async () => {
    const upsert = () =>
      rows.updateOne(
        { _id: "d", operation: "other" },
        { $set: { changes: ["x"] } },
        { upsert: true },
      );
    await rows.insertOne({ _id: "d", operation: "d" });
    expect(await onceByKey(upsert)).toBe(false);
    expect(await rows.findOne({ _id: "d" })).toEqual({ _id: "d", operation: "d" });
  });

  it("throws errors other than duplicate keys", async () => {
    await rows.insertOne({ _id: "e", operation: "e" });
    await expect(onceByKey(brokenWrite)).rejects.toThrow("_id");
  });
});

describe("insertOrFind", () => {
  it("returns the document that was stored first", async () => {
    const first = { _id: "f", operation: "f" };
    expect(await insertOrFind(rows, first, { operation: "f" })).toEqual(first);
    const second = { _id: "g", operation: "f" };
    expect(await insertOrFind(rows, second, { operation: "f" })).toEqual(first);
  });

  it("throws where the key is another document's", async () => {
    await rows.insertOne({ _id: "h", operation: "h" });
    const clash = { _id: "h", operation: "i" };
    await expect(insertOrFind(rows, clash, { operation: "i" })).rejects.toThrow("E11000");
  });
});

describe("upsertOnce", () => {
  const change = (_id: string, operation: string) =>
    upsertOnce((upsert) =>
      rows.updateOne(
        { _id, changes: { $ne: operation } },
        { $push: { changes: operation }, $setOnInsert: { operation: _id } },
        { upsert },
      ),
    );

  it("inserts the document, changes it, and changes nothing for a repeat", async () => {
    await change("j", "one");
    await change("j", "two");
    await change("j", "one");
    expect((await rows.findOne({ _id: "j" }))?.changes).toEqual(["one", "two"]);
  });

  it("changes the document that another process inserted meanwhile", async () => {
    const other = { _id: "l", operation: "l", changes: ["other"] };
    await upsertOnce((upsert) =>
      upsert
        ? Promise.all([rows.insertOne(other), rows.insertOne(other)])
        : rows.updateOne({ _id: "l" }, { $push: { changes: "mine" } }),
    );
    expect((await rows.findOne({ _id: "l" }))?.changes).toEqual(["other", "mine"]);
  });

  it("loses no change if several insert the document at once", async () => {
    const operations = ["1", "2", "3", "4", "5", "6", "7", "8"];
    await Promise.all(operations.map((each) => change("k", each)));
    expect((await rows.findOne({ _id: "k" }))?.changes?.sort()).toEqual(operations);
  });
});
