import { isDuplicateKey, isOnlyDuplicateKeys, toDecimal128 } from "@disburse/chassis/mongo.ts";
import {
  type AnyBulkWriteOperation,
  Binary,
  type Collection,
  type Db,
  MongoBulkWriteError,
} from "mongodb";

/** A document of the suite: any fields, an id of ours. */
export type Row = { _id: string; [field: string]: unknown };

/** What one kind of query or update answers, which has to be the same of every store. */
export type ContractCase = {
  readonly name: string;
  /** Stored before, in this order. */
  readonly rows: readonly Row[];
  readonly run: (rows: Collection<Row>, db: Db) => Promise<unknown>;
};

/** A refusal in the words that our stores read it with. */
async function refusalOf(write: Promise<unknown>): Promise<unknown> {
  const error: unknown = await write.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const isBulk = error instanceof MongoBulkWriteError;
  const failed = isBulk ? [error.writeErrors].flat().map(({ index }) => index) : [];
  return {
    isRefused: error !== undefined,
    isDuplicate: isDuplicateKey(error),
    isOnlyDuplicates: isOnlyDuplicateKeys(error),
    failed,
  };
}

const at = (seconds: number): Date => new Date(1_000 * seconds);
const ids = async (found: Promise<Row[]>) => (await found).map(({ _id }) => _id);

/** A query that takes the ids of some of these rows. */
function taking(name: string, rows: readonly Row[], filter: object): ContractCase {
  return { name, rows, run: (of) => ids(of.find(filter).sort({ _id: 1 }).toArray()) };
}

/** An update of one row `a`: what it says, and the row after it. */
function changing(name: string, row: object, update: object, options: object = {}): ContractCase {
  return {
    name,
    rows: [{ _id: "a", ...row }],
    run: async (of) => {
      const { matchedCount, modifiedCount } = await of.updateOne({ _id: "a" }, update, options);
      return { matchedCount, modifiedCount, row: await of.findOne({ _id: "a" }) };
    },
  };
}

const lists: readonly Row[] = [
  { _id: "absent" },
  { _id: "null", list: null, at: null },
  { _id: "empty", list: [] },
  { _id: "one", list: [{ key: "k1", at: at(1) }], at: at(1) },
  { _id: "two", list: [{ key: "k1", at: at(9) }, { key: "k2" }], at: at(2) },
  { _id: "plain", list: ["k1"], at: at(3) },
  { _id: "inner", list: { key: "k1", at: null }, at: "text" },
];

const filterCases: readonly ContractCase[] = [
  taking("equal to null takes absent and null", lists, { at: null }),
  taking("equal through an array takes any element", lists, { "list.key": "k1" }),
  taking("not equal through an array takes rows without such an element", lists, {
    "list.key": { $ne: "k1" },
  }),
  taking("null through an array takes elements without the field", lists, { "list.key": null }),
  taking("equal takes an array by its element", lists, { list: "k1" }),
  taking("equal takes an empty array", lists, { list: [] }),
  taking("exists takes null", lists, { list: { $exists: true } }),
  taking("exists not", lists, { list: { $exists: false } }),
  taking("exists through arrays", lists, { "list.at": { $exists: true } }),
  taking("later than takes dates alone", lists, { at: { $gt: at(1) } }),
  taking("not later than takes dates alone", lists, { at: { $lte: at(2) } }),
  taking("later than through an array", lists, { "list.at": { $gt: at(0) } }),
  taking("both bounds need not be of one element", lists, {
    "list.at": { $gt: at(0), $lt: at(5) },
  }),
  taking("an element that fulfils both", lists, {
    list: { $elemMatch: { key: "k1", at: { $gt: at(5) } } },
  }),
  taking("of a size", lists, { list: { $size: 0 } }),
  taking("of a size, through an array", [{ _id: "a", of: [{ in: [1] }, { in: [] }] }], {
    "of.in": { $size: 1 },
  }),
  taking("none of", lists, { $nor: [{ at: { $gt: at(1) } }, { list: null }] }),
  taking("any of", lists, { $or: [{ at: at(1) }, { _id: "plain" }] }),
  taking("all of", lists, { $and: [{ at: { $gte: at(1) } }, { at: { $lt: at(3) } }] }),
  taking("in", lists, { _id: { $in: ["two", "gone", "one", "two"] } }),
  taking("in with null takes absent", lists, { at: { $in: [null, at(3)] } }),
  taking("not in", lists, { at: { $nin: [null, at(3)] } }),
  taking("in through an array", lists, { "list.key": { $in: ["k2"] } }),
  taking("an id and a condition", lists, { _id: "one", at: { $gt: at(5) } }),
  taking("undefined fields do not count", lists, { _id: "one", at: undefined }),
  taking(
    "a whole document, fields in order",
    [
      { _id: "a", of: { x: 1, y: 2 } },
      { _id: "b", of: { y: 2, x: 1 } },
    ],
    {
      of: { x: 1, y: 2 },
    },
  ),
];

const amounts: readonly Row[] = [
  { _id: "9", amount: toDecimal128(9n), paid: true },
  { _id: "10", amount: toDecimal128(10n) },
  { _id: "great", amount: toDecimal128(9_999_999_999_999_999_999_999_999_999_999_999n) },
  { _id: "zero", amount: toDecimal128(0n), paid: false },
  { _id: "less", amount: toDecimal128(-5n) },
  { _id: "number", amount: 10 },
  { _id: "text", amount: "10" },
];

const valueCases: readonly ContractCase[] = [
  taking("an amount that is at least", amounts, { amount: { $gte: toDecimal128(10n) } }),
  taking("an amount that is less", amounts, { amount: { $lt: toDecimal128(0n) } }),
  taking("an amount equal to a number", amounts, { amount: toDecimal128(10n) }),
  taking("a boolean", amounts, { paid: { $ne: true } }),
  {
    name: "sorts amounts by value, and types in their order",
    rows: amounts,
    run: (of) => ids(of.find({}).sort({ amount: 1, _id: 1 }).toArray()),
  },
  {
    name: "sorts absent first, arrays by their least value",
    rows: lists,
    run: (of) => ids(of.find({}).sort({ "list.at": 1, _id: -1 }).toArray()),
  },
  {
    name: "sorts arrays by their greatest value downwards",
    rows: lists,
    run: (of) => ids(of.find({}).sort({ "list.at": -1, _id: 1 }).toArray()),
  },
  {
    name: "keeps bytes, dates, amounts and nesting",
    rows: [
      {
        _id: "a",
        bytes: new Binary(Buffer.from("body")),
        at: at(1),
        amount: toDecimal128(100n),
        in: [{ d: [null] }],
      },
    ],
    run: (of) => of.findOne({ _id: "a" }),
  },
  {
    name: "leaves undefined fields out",
    rows: [{ _id: "a", none: undefined, in: { none: undefined, some: 1 } }],
    run: (of) => of.findOne({ _id: "a" }),
  },
  {
    name: "gives copies",
    rows: [{ _id: "a", in: { x: 1 } }],
    run: async (of) => {
      const first = await of.findOne({ _id: "a" });
      Object.assign(first?.in as object, { x: 2 });
      return of.findOne({ _id: "a" });
    },
  },
];

const readCases: readonly ContractCase[] = [
  {
    name: "pages",
    rows: lists,
    run: async (of) => {
      const pages: string[][] = [];
      let after = "";
      for (;;) {
        const page = await ids(
          of
            .find({ _id: { $gt: after } })
            .sort({ _id: 1 })
            .limit(3)
            .toArray(),
        );
        pages.push(page);
        if (page.length < 3) return pages;
        after = page.at(-1) ?? "";
      }
    },
  },
  {
    name: "finds one by its order",
    rows: amounts,
    run: (of) => of.findOne({ paid: { $exists: true } }, { sort: { _id: -1 } }),
  },
  { name: "finds none", rows: [], run: (of) => of.findOne({ _id: "a" }) },
  {
    name: "shows some fields",
    rows: lists,
    run: (of) => of.findOne({ _id: "two" }, { projection: { at: 1 } }),
  },
  {
    name: "shows some fields and no id",
    rows: lists,
    run: (of) => of.findOne({ _id: "two" }, { projection: { at: 1, _id: 0 } as object }),
  },
  {
    name: "shows all but some",
    rows: lists,
    run: (of) => of.findOne({ _id: "two" }, { projection: { list: 0 } }),
  },
  {
    name: "shows the id alone",
    rows: lists,
    run: (of) => of.findOne({ _id: "two" }, { projection: { _id: 1 } }),
  },
  {
    name: "iterates",
    rows: amounts,
    run: async (of) => {
      const found: string[] = [];
      for await (const { _id } of of.find({}).sort({ _id: 1 }).project<Row>({ _id: 1 }))
        found.push(_id);
      return found;
    },
  },
  {
    name: "counts, up to a limit",
    rows: lists,
    run: async (of) => [
      await of.countDocuments({ at: { $gt: at(1) } }),
      await of.countDocuments({}, { limit: 2 }),
      await of.countDocuments({ _id: "gone" }),
    ],
  },
  {
    name: "tells distinct values",
    rows: [{ _id: "a", line: "x" }, { _id: "b", line: "y" }, { _id: "c", line: "x" }, { _id: "d" }],
    run: async (of) => (await of.distinct("line", {})).toSorted(),
  },
  {
    name: "groups in order",
    rows: [
      { _id: "a", of: "x", at: at(2), n: 1 },
      { _id: "b", of: "x", at: at(1), n: 3 },
      { _id: "c", of: "y", at: at(9), n: 2 },
    ],
    run: (of) =>
      of
        .aggregate([
          { $match: { n: { $gt: 0 } } },
          { $sort: { of: 1, at: 1 } },
          { $group: { _id: "$of", first: { $first: "$at" }, most: { $max: "$n" } } },
          { $match: { first: { $lte: at(5) } } },
          { $sort: { _id: 1 } },
        ])
        .toArray(),
  },
  {
    name: "groups by several fields",
    rows: [
      { _id: "a", x: 1, y: 2, n: 5 },
      { _id: "b", x: 1, y: 2, n: 7 },
    ],
    run: (of) =>
      of.aggregate([{ $group: { _id: { x: "$x", y: "$y" }, last: { $max: "$n" } } }]).toArray(),
  },
];

const updateCases: readonly ContractCase[] = [
  changing(
    "sets fields, deep ones too",
    { in: { x: 1 } },
    { $set: { "in.y": 2, "new.z": 3, top: null } },
  ),
  changing("a set that changes nothing", { x: 1, list: [1] }, { $set: { x: 1, list: [1] } }),
  changing(
    "removes fields",
    { x: 1, in: { y: 1, z: 2 } },
    { $unset: { x: "", "in.y": "", gone: "" } },
  ),
  changing("counts up, from nothing too", { n: 1 }, { $inc: { n: 2, "in.m": -1 } }),
  changing("takes the greater", { n: 1, at: at(5) }, { $max: { n: 3, at: at(2), fresh: 1 } }),
  changing("appends", { list: [1] }, { $push: { list: 2, fresh: { x: 1 } } }),
  changing(
    "appends several and keeps the last",
    { list: [1, 2] },
    {
      $push: { list: { $each: [3, 4], $slice: -3 } },
    },
  ),
  changing(
    "appends several and keeps the first",
    { list: [1, 2] },
    {
      $push: { list: { $each: [3, 4], $slice: 3 } },
    },
  ),
  changing(
    "takes elements out by a field",
    { list: [{ id: "x", n: 1 }, { id: "y", n: 2 }, "plain"] },
    {
      $pull: { list: { id: { $in: ["x", "z"] } } },
    },
  ),
  changing(
    "takes elements out by their number",
    { list: [{ n: 1 }, { n: 2 }, { n: 3 }] },
    {
      $pull: { list: { n: { $lte: 2 } } },
    },
  ),
  changing("takes values out", { list: ["x", "y", "x"] }, { $pull: { list: "x" } }),
  changing(
    "takes values out by a condition",
    { list: [1, 2, 3] },
    { $pull: { list: { $in: [1, 3] } } },
  ),
  changing("takes out of nothing", { n: 1 }, { $pull: { list: "x" } }),
  changing(
    "several operators in one write",
    { list: [{ id: 1 }], n: 1, gone: 1 },
    {
      $set: { at: at(1) },
      $inc: { n: 1 },
      $push: { list: { id: 2 } },
      $unset: { gone: "" },
    },
  ),
  changing(
    "changes chosen elements",
    { list: [{ id: 1 }, { id: 2 }, { id: 3 }] },
    { $set: { "list.$[each].seen": true } },
    {
      arrayFilters: [{ "each.id": { $in: [1, 3] } }],
    },
  ),
  changing("a pipeline that sets by a condition", { n: 5, lease: null, kept: 1 }, [
    {
      $set: {
        state: { $cond: [{ $lt: ["$n", 9] }, "claimed", "expired"] },
        claim: { $cond: [{ $lt: ["$n", 9] }, { by: { $literal: "$x" }, n: "$n" }, "$$REMOVE"] },
        gone: { $cond: [{ $gte: ["$n", 9] }, 1, "$$REMOVE"] },
        kept: "$$REMOVE",
        deadline: { $ifNull: ["$deadline", at(7)] },
        lease: { token: "t" },
      },
    },
  ]),
  changing(
    "a pipeline's document joins the one that is there",
    { lease: { token: "a", until: 1 } },
    [{ $set: { lease: { token: "b" } } }],
  ),
];

const claimed = { $set: { state: "claimed" } };

const conditionalCases: readonly ContractCase[] = [
  {
    name: "a conditional update that misses",
    rows: [{ _id: "a", sequence: 2 }],
    run: async (of) => {
      const { matchedCount, modifiedCount } = await of.updateOne(
        { _id: "a", sequence: 1 },
        claimed,
      );
      return { matchedCount, modifiedCount, row: await of.findOne({ _id: "a" }) };
    },
  },
  {
    name: "find and update answers the row after, or before, or null",
    rows: [{ _id: "a", state: "open" }],
    run: async (of) => [
      await of.findOneAndUpdate({ _id: "a" }, { $set: { n: 1 } }),
      await of.findOneAndUpdate({ _id: "a", state: "open" }, claimed, { returnDocument: "after" }),
      await of.findOneAndUpdate({ _id: "a", state: "open" }, claimed, { returnDocument: "after" }),
    ],
  },
  {
    name: "find and update takes the first of an order",
    rows: [
      { _id: "a", due: at(3) },
      { _id: "b", due: at(1), lease: { until: at(9) } },
      { _id: "c", due: at(2), lease: { until: at(1) } },
      { _id: "d" },
    ],
    run: (of) =>
      of.findOneAndUpdate(
        { due: { $lte: at(5) }, $nor: [{ "lease.until": { $gt: at(5) } }] },
        { $set: { lease: { until: at(20) } }, $inc: { revision: 1 } } as object,
        { sort: { due: 1 }, returnDocument: "after" },
      ),
  },
  {
    name: "update many",
    rows: lists,
    run: async (of) => {
      const { matchedCount, modifiedCount } = await of.updateMany(
        { at: { $gte: at(2) } },
        { $set: { at: at(3) } },
      );
      return { matchedCount, modifiedCount, rows: await of.find({}).sort({ _id: 1 }).toArray() };
    },
  },
  {
    name: "replaces, guarded",
    rows: [{ _id: "a", revision: 1, gone: 1 }],
    run: async (of) => {
      const made = await of.replaceOne({ _id: "a", revision: 1 }, { revision: 2 });
      const missed = await of.replaceOne({ _id: "a", revision: 1 }, { revision: 3 });
      return [made.modifiedCount, missed.modifiedCount, await of.findOne({ _id: "a" })];
    },
  },
  {
    name: "an upsert makes the row once",
    rows: [],
    run: async (of) => {
      const upsert = (operation: string) =>
        of.updateOne(
          { source: "USD", operations: { $ne: operation } },
          {
            $set: { seen: operation },
            $push: { operations: { $each: [operation], $slice: -2 } } as object,
            $setOnInsert: { _id: "a", created: true },
          },
          { upsert: true },
        );
      const made = await upsert("one");
      const changed = await upsert("two");
      return [made.upsertedCount, changed.matchedCount, await of.find({}).toArray()];
    },
  },
  {
    name: "deletes one and many",
    rows: amounts,
    run: async (of) => [
      (await of.deleteOne({ paid: { $exists: true } })).deletedCount,
      (await of.deleteMany({ amount: { $gte: toDecimal128(9n) } })).deletedCount,
      await of.countDocuments({}),
    ],
  },
  {
    name: "an unordered bulk of updates",
    rows: [
      { _id: "a", list: [1, 2] },
      { _id: "b", list: [1] },
    ],
    run: async (of) => {
      const pull = (_id: string): AnyBulkWriteOperation<Row> => ({
        updateOne: { filter: { _id }, update: { $pull: { list: 1 } } as object },
      });
      const made = await of.bulkWrite([pull("a"), pull("gone"), pull("b"), pull("b")], {
        ordered: false,
      });
      return [made.matchedCount, made.modifiedCount, await of.find({}).sort({ _id: 1 }).toArray()];
    },
  },
];

const uniqueCases: readonly ContractCase[] = [
  {
    name: "an id that is there",
    rows: [{ _id: "a" }],
    run: (of) => refusalOf(of.insertOne({ _id: "a" })),
  },
  {
    name: "an unordered insert past duplicates",
    rows: [{ _id: "b", n: 1 }],
    run: async (of) => [
      await refusalOf(
        of.insertMany([{ _id: "a" }, { _id: "b" }, { _id: "c" }, { _id: "a" }], { ordered: false }),
      ),
      await of.find({}).sort({ _id: 1 }).toArray(),
    ],
  },
  {
    name: "an unordered insert of new rows",
    rows: [],
    run: (of) => refusalOf(of.insertMany([{ _id: "a" }, { _id: "b" }], { ordered: false })),
  },
  {
    name: "a unique index of several fields, absent ones too",
    rows: [
      { _id: "a", merchant: "m", operation: "o" },
      { _id: "b", merchant: "m" },
    ],
    run: async (of) => {
      await of.createIndexes([
        { key: { merchant: 1, operation: 1 }, name: "operation", unique: true },
      ]);
      return [
        await refusalOf(of.insertOne({ _id: "c", merchant: "m", operation: "o" })),
        await refusalOf(of.insertOne({ _id: "d", merchant: "n", operation: "o" })),
        await refusalOf(of.insertOne({ _id: "e", merchant: "m" })),
        await refusalOf(of.updateOne({ _id: "d" }, { $set: { merchant: "m" } })),
        await refusalOf(of.updateOne({ _id: "a" }, { $set: { operation: "p" } })),
        await refusalOf(of.insertOne({ _id: "f", merchant: "m", operation: "o" })),
        await of.countDocuments({}),
      ];
    },
  },
  {
    name: "a unique index through an array",
    rows: [],
    run: async (of) => {
      await of.createIndexes([
        { key: { merchant: 1, "operations.id": 1 }, name: "used", unique: true },
      ]);
      const row = (_id: string, ...used: string[]): Row => ({
        _id,
        merchant: "m",
        operations: used.map((id) => ({ id })),
      });
      return [
        await refusalOf(of.insertOne(row("a", "x", "y"))),
        await refusalOf(of.insertOne(row("b", "y"))),
        await refusalOf(of.insertOne(row("c", "z", "z"))),
        await refusalOf(of.replaceOne({ _id: "c" }, row("c", "x"))),
        await refusalOf(of.replaceOne({ _id: "a" }, row("a", "x"))),
        await refusalOf(of.insertOne(row("d", "y"))),
      ];
    },
  },
  {
    name: "a partial unique index",
    rows: [],
    run: async (of) => {
      await of.createIndexes([
        {
          key: { endpoint: 1 },
          name: "running",
          unique: true,
          partialFilterExpression: { state: "running" },
        },
      ]);
      return [
        await refusalOf(of.insertOne({ _id: "a", endpoint: "e", state: "running" })),
        await refusalOf(of.insertOne({ _id: "b", endpoint: "e", state: "done" })),
        await refusalOf(of.insertOne({ _id: "c", endpoint: "e", state: "running" })),
        await refusalOf(of.updateOne({ _id: "b" }, { $set: { state: "running" } })),
        await refusalOf(of.updateOne({ _id: "a" }, { $set: { state: "done" } })),
        await refusalOf(of.updateOne({ _id: "b" }, { $set: { state: "running" } })),
      ];
    },
  },
];

const clockCases: readonly ContractCase[] = [
  {
    name: "its own clock, in a read and in a claim",
    rows: [
      { _id: "open", expires: new Date("2000-01-01") },
      { _id: "late", expires: new Date("2999-01-01") },
    ],
    run: async (of, db) => {
      const before = Date.now();
      const [told] = await db
        .aggregate<{ now: Date }>([{ $documents: [{}] }, { $set: { now: "$$NOW" } }])
        .toArray();
      const isInTime = { $lt: ["$$NOW", "$expires"] };
      const claim = (_id: string) =>
        of.findOneAndUpdate(
          { _id },
          [{ $set: { state: { $cond: [isInTime, "claimed", "expired"] }, at: "$$NOW" } }],
          { returnDocument: "after" },
        );
      const claims = [await claim("open"), await claim("late")];
      const after = Date.now();
      const isNow = (time: unknown) => Number(time) >= before && Number(time) <= after;
      return [isNow(told?.now), claims.map((each) => [each?.state, isNow(each?.at)])];
    },
  },
];

const leaseCases: readonly ContractCase[] = [
  {
    name: "a lease that is free by its clock, taken, renewed and refused",
    rows: [{ _id: "sweeps", owner: "", until: new Date(0), epoch: 0 }],
    run: async (of) => {
      const isFree = { $expr: { $lte: ["$until", "$$NOW"] } };
      const take = async (owner: string, leaseMs: number) => {
        const found = await of.findOneAndUpdate(
          { _id: "sweeps", $or: [{ owner }, isFree] },
          [
            {
              $set: {
                epoch: { $add: ["$epoch", { $cond: [{ $eq: ["$owner", owner] }, 0, 1] }] },
                owner,
                until: { $add: ["$$NOW", leaseMs] },
              },
            },
          ],
          { returnDocument: "after" },
        );
        return found && [found.epoch, Number(found.until) > Date.now() + leaseMs - 60_000];
      };
      return [
        await take("one", 600_000),
        await take("two", 600_000),
        await take("one", -1),
        await take("two", 600_000),
      ];
    },
  },
];

/** Every kind of query and update that our stores make. */
export const contractCases: readonly ContractCase[] = [
  ...filterCases,
  ...valueCases,
  ...readCases,
  ...updateCases,
  ...conditionalCases,
  ...uniqueCases,
  ...clockCases,
  ...leaseCases,
];
