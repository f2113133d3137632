import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { type AnyBulkWriteOperation, Binary } from "mongodb";
import { at, type ContractCase, changing, type Row, refusalOf } from "./test-contract-case.ts";
import { amounts, lists } from "./test-rows.ts";

const bytes = (text: string) => new Binary(Buffer.from(text));

export const updateCases: readonly ContractCase[] = [
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
    "adds to a set what is not in it",
    { list: [{ id: "x", of: bytes("a") }, 1] },
    {
      $addToSet: {
        list: { $each: [{ id: "x", of: bytes("a") }, { id: "x", of: bytes("b") }, 1, 2, 2] },
        fresh: 1,
      },
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
  changing("a pipeline that sets by a condition", { n: 5, lease: null, kept: 1 }, [
    {
      $set: {
        state: { $cond: [{ $lt: ["$n", 9] }, "claimed", "expired"] },
        claim: { $cond: [{ $lt: ["$n", 9] }, { by: { $literal: "$x" }, n: "$n" }, "$$REMOVE"] },
        gone: { $cond: [{ $gte: ["$n", 9] }, 1, "$$REMOVE"] },
        one: { $cond: [{ $or: [{ $gt: ["$n", 9] }, { $eq: ["$kept", 1] }] }, "yes", "no"] },
        none: { $cond: [{ $or: [{ $gt: ["$n", 9] }, { $eq: ["$kept", 2] }] }, "yes", "no"] },
        kept: "$$REMOVE",
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

export const conditionalCases: readonly ContractCase[] = [
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
    name: "find and update returns the row after, or before, or null",
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
      const created = await of.replaceOne({ _id: "a", revision: 1 }, { revision: 2 });
      const missed = await of.replaceOne({ _id: "a", revision: 1 }, { revision: 3 });
      return [created.modifiedCount, missed.modifiedCount, await of.findOne({ _id: "a" })];
    },
  },
  {
    name: "a replacement that is an upsert, where nothing later is there",
    rows: [],
    run: async (of) => {
      const replace = (sequence: number) =>
        refusalOf(
          of.replaceOne(
            { _id: "a", sequence: { $not: { $gte: sequence } } },
            { sequence, [`only_${sequence}`]: true },
            { upsert: true },
          ),
        );
      const refusals = [await replace(2), await replace(1), await replace(3)];
      return [refusals, await of.find({}).toArray()];
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
      const created = await upsert("one");
      const changed = await upsert("two");
      return [created.upsertedCount, changed.matchedCount, await of.find({}).toArray()];
    },
  },
  {
    name: "each row its own values of one update",
    rows: [
      { _id: "a", n: 1, list: [1, 2], kept: true },
      { _id: "b", n: 1, list: [], lease: { token: "t" } },
      { _id: "c", n: 2, list: [3] },
    ],
    run: async (of) => {
      const index = { $indexOfArray: [{ $literal: ["b", "a"] }, "$_id"] };
      const own = ({ a, b }: { a: unknown; b: unknown }) => ({
        $arrayElemAt: [{ $literal: [b, a] }, index],
      });
      const fields = own({ a: { n: 2, lease: null }, b: { n: 3, at: at(1) } });
      const list = { $slice: [{ $concatArrays: ["$list", own({ a: [5], b: [6] })] }, -2] };
      const { matchedCount } = await of.updateMany({ _id: { $in: ["a", "b", "c"] }, n: 1 }, [
        { $replaceWith: { $mergeObjects: ["$$ROOT", fields, { list }] } },
      ]);
      return [matchedCount, await of.find({}).sort({ _id: 1 }).toArray()];
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
      const created = await of.bulkWrite([pull("a"), pull("gone"), pull("b"), pull("b")], {
        ordered: false,
      });
      return [
        created.matchedCount,
        created.modifiedCount,
        await of.find({}).sort({ _id: 1 }).toArray(),
      ];
    },
  },
  {
    name: "a bulk that changes many by each of its writes",
    rows: [
      { _id: "a", file: "f", sealed: "x", n: 1 },
      { _id: "b", file: "f", n: 1 },
      { _id: "c", file: "g", sealed: "x", n: 1 },
    ],
    run: async (of) => {
      const known = (file: string): AnyBulkWriteOperation<Row> => ({
        updateMany: {
          filter: { file, sealed: { $exists: true } },
          update: { $set: { block: file }, $unset: { sealed: "" }, $inc: { n: 1 } } as object,
        },
      });
      const created = await of.bulkWrite([known("f"), known("g"), known("h")], { ordered: false });
      return [
        created.matchedCount,
        created.modifiedCount,
        await of.find({}).sort({ _id: 1 }).toArray(),
      ];
    },
  },
  {
    name: "many by a pipeline that leaves a field out",
    rows: [
      { _id: "a", trace: "1", sealed: "x", n: 1 },
      { _id: "b", n: 1 },
    ],
    run: async (of) => {
      const next = { state: "settled", reference: "$trace", n: { $add: ["$n", 1] } };
      await of.updateMany({}, [{ $set: next }, { $unset: "sealed" }]);
      return of.find({}).sort({ _id: 1 }).toArray();
    },
  },
  {
    name: "a counter that begins where there is none",
    rows: [],
    run: async (of) => {
      const given = { $ifNull: ["$next", 1] };
      const next = () =>
        of.findOneAndUpdate({ _id: "a" }, [{ $set: { given, next: { $add: [given, 5] } } }], {
          upsert: true,
          returnDocument: "after",
        });
      return [await next(), await next()];
    },
  },
];
