import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { at, type ContractCase, ids, type Row } from "./test-contract-case.ts";
import { amounts, lists } from "./test-rows.ts";

export const readCases: readonly ContractCase[] = [
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
    name: "skips before it limits",
    rows: lists,
    run: (of) => ids(of.find({}).sort({ _id: 1 }).skip(2).limit(2).toArray()),
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
    name: "shows parts of fields",
    rows: lists,
    run: (of) =>
      of
        .find({}, { projection: { "list.key": 1, "list.none.at": 1, at: 1 } as object })
        .sort({ _id: 1 })
        .toArray(),
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
    name: "sums numbers and decimals",
    rows: amounts.filter(({ _id }) => _id !== "great"),
    run: async (of) => {
      const sums = { sum: { $sum: "$amount" }, count: { $sum: 1 }, none: { $sum: "$gone" } };
      const [all] = await of.aggregate([{ $group: { _id: null, ...sums } }]).toArray();
      return { ...all, sum: String(all?.sum) };
    },
  },
  {
    name: "sums by state what some rows lack",
    rows: [
      { _id: "a", state: "executed", quote: { cost: toDecimal128(7n) } },
      { _id: "b", state: "executed", quote: { cost: toDecimal128(5n) } },
      { _id: "c", state: "failed" },
    ],
    run: async (of) => {
      const cost = { $ifNull: ["$quote.cost", toDecimal128(0n)] };
      const groups = await of
        .aggregate([
          { $group: { _id: "$state", count: { $sum: 1 }, cost: { $sum: cost } } },
          { $sort: { _id: 1 } },
        ])
        .toArray();
      return groups.map((each) => ({ ...each, cost: String(each.cost) }));
    },
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
