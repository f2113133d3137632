import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { Binary } from "mongodb";
import { at, type ContractCase, ids, taking } from "./test-contract-case.ts";
import { amounts, lists } from "./test-rows.ts";

export const filterCases: readonly ContractCase[] = [
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
  taking("of a size", lists, { list: { $size: 0 } }),
  taking("of a size, through an array", [{ _id: "a", of: [{ in: [1] }, { in: [] }] }], {
    "of.in": { $size: 1 },
  }),
  taking("none of", lists, { $nor: [{ at: { $gt: at(1) } }, { list: null }] }),
  taking("any of", lists, { $or: [{ at: at(1) }, { _id: "plain" }] }),
  taking("all of", lists, { $and: [{ at: { $gte: at(1) } }, { at: { $lt: at(3) } }] }),
  taking(
    "later than another field and some time, by an expression",
    [
      { _id: "a", due: at(9), of: { end: at(1) } },
      { _id: "b", due: at(9), of: { end: at(5) } },
    ],
    {
      $or: [{ of: null }, { $expr: { $gt: ["$due", { $add: ["$of.end", 5_000] }] } }],
    },
  ),
  taking("in", lists, { _id: { $in: ["two", "gone", "one", "two"] } }),
  taking("in with null takes absent", lists, { at: { $in: [null, at(3)] } }),
  taking("in through an array", lists, { "list.key": { $in: ["k2"] } }),
  taking("not in", lists, { _id: { $nin: ["two", "gone"] } }),
  taking("not in with null leaves absent", lists, { at: { $nin: [null, at(3)] } }),
  taking("not in through an array", lists, { "list.key": { $nin: ["k2"] } }),
  taking("not at least takes absent and null", lists, { at: { $not: { $gte: at(2) } } }),
  taking("not at least through an array", lists, { "list.at": { $not: { $gte: at(5) } } }),
  taking("an element with all of", lists, { list: { $elemMatch: { key: "k2", at: at(2) } } }),
  taking("no element with all of", lists, {
    list: { $not: { $elemMatch: { key: "k2", at: { $ne: at(2) } } } },
  }),
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

export const valueCases: readonly ContractCase[] = [
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
