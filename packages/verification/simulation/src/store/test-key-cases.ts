import { type ContractCase, ids, type Row, refusalOf } from "./test-contract-case.ts";

export const uniqueCases: readonly ContractCase[] = [
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
    name: "rows of two collections, up to one that is there",
    rows: [],
    run: async (_of, { db, bulkInsert }) => {
      const rows = (collection: string, ...some: string[]) => ({
        collection,
        documents: some.map((_id) => ({ _id })),
      });
      const stored = async (collection: string) =>
        ids(db.collection<Row>(collection).find({}).sort({ _id: 1 }).toArray());
      return [
        await bulkInsert([rows("first", "a", "b"), rows("second", "a")]),
        await bulkInsert([rows("first", "c"), rows("second", "b", "a", "c")]),
        await bulkInsert([rows("first", "c", "d"), rows("second", "d")]),
        ...[await stored("first"), await stored("second")],
      ];
    },
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

export const clockCases: readonly ContractCase[] = [
  {
    name: "its own clock, in a read and in a claim",
    rows: [
      { _id: "open", expires: new Date("2000-01-01") },
      { _id: "late", expires: new Date("2999-01-01") },
    ],
    run: async (of, { db }) => {
      const before = Date.now();
      const [clock] = await db
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
      return [isNow(clock?.now), claims.map((each) => [each?.state, isNow(each?.at)])];
    },
  },
  {
    name: "its own clock, beside what a write sets",
    rows: [{ _id: "a", at: new Date(0), in: { at: "text" } }],
    run: async (of) => {
      const before = Date.now();
      await of.updateOne({ _id: "a" }, {
        $set: { state: "over" },
        $currentDate: { at: true, "in.at": true, fresh: true },
      } as object);
      const row = await of.findOne({ _id: "a" });
      const after = Date.now();
      const times = [row?.at, (row?.in as Row | undefined)?.at, row?.fresh];
      return [row?.state, times.map((time) => Number(time) >= before && Number(time) <= after)];
    },
  },
];

export const leaseCases: readonly ContractCase[] = [
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
