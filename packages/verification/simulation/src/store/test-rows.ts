import { toDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { at, type Row } from "./test-contract-case.ts";

export const lists: readonly Row[] = [
  { _id: "absent" },
  { _id: "null", list: null, at: null },
  { _id: "empty", list: [] },
  { _id: "one", list: [{ key: "k1", at: at(1) }], at: at(1) },
  { _id: "two", list: [{ key: "k1", at: at(9) }, { key: "k2" }], at: at(2) },
  { _id: "plain", list: ["k1"], at: at(3) },
  { _id: "inner", list: { key: "k1", at: null }, at: "text" },
];

export const amounts: readonly Row[] = [
  { _id: "9", amount: toDecimal128(9n), paid: true },
  { _id: "10", amount: toDecimal128(10n) },
  { _id: "great", amount: toDecimal128(9_999_999_999_999_999_999_999_999_999_999_999n) },
  { _id: "zero", amount: toDecimal128(0n), paid: false },
  { _id: "less", amount: toDecimal128(-5n) },
  { _id: "number", amount: 10 },
  { _id: "text", amount: "10" },
];
