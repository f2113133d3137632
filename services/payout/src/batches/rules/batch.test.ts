import { expect, it } from "vitest";
import type { OrderTerms } from "../../orders/rules/order.ts";
import { approvable, batchDigest, decidable, mayGoOn, totalsOf, waitingMax } from "./batch.ts";

const terms = (fixed: "source" | "receiving", amount: bigint, destination = "INR"): OrderTerms => ({
  ...{ accountId: "acc_1", beneficiaryId: "ben_1", source: "USD", destination, fixed, amount },
  ...{ maxSource: undefined, allowDuplicate: false },
  details: { referenceId: "", remittanceInformation: "", purposeCode: "" },
});

it("totals sum the fixed amounts by side and currency", () => {
  const lines = [
    ...[terms("source", 100n), terms("source", 50n), terms("receiving", 7n)],
    ...[terms("receiving", 1n, "USD"), terms("receiving", 2n, "USD")],
  ];
  expect(totalsOf(lines)).toEqual({
    source: { currency: "USD", amount: 150n, lines: 2 },
    receiving: [
      { currency: "INR", amount: 7n, lines: 1 },
      { currency: "USD", amount: 3n, lines: 2 },
    ],
  });
  expect(totalsOf([terms("receiving", 7n)]).source).toBeUndefined();
});

const head = { id: "bat_1", merchantId: "mer_1", accountId: "acc_1", currency: "USD", lines: 2 };
const digestOf = (lines: readonly OrderTerms[], change: object = {}) => {
  const digest = batchDigest({ ...head, ...change });
  for (const each of lines) digest.add(each);
  return digest.hex();
};

it("the digest changes with any approved content", () => {
  const [first, second] = [terms("source", 100n), terms("receiving", 7n)];
  const heads = [{ id: "x" }, { merchantId: "x" }, { accountId: "x" }, { currency: "x" }];
  const changes = Object.keys(first).map((name) => ({ ...first, [name]: name }) as OrderTerms);
  const digests = [
    ...[...heads, { lines: 3 }].map((change) => digestOf([first, second], change)),
    ...changes.map((change) => digestOf([change, second])),
    ...[digestOf([second, first]), digestOf([first]), digestOf([first, second, second])],
  ];
  const all = [...digests, digestOf([first, second])];
  expect(new Set(all).size).toBe(all.length);
  expect(digestOf([first, second])).toBe(digestOf([first, second]));
});

const [key, member] = [{ kind: "api_key", id: "1" } as const, { kind: "member", id: "2" } as const];
it.each([
  ["another, where one is needed", true, member, "decide"],
  ["its maker, where none is", false, key, "decide"],
  ["its maker, where another is needed", true, key, "same_actor"],
])("a batch that waits is decided on by %s", (_who, byAnother, by, expected) => {
  const may = decidable({ state: "awaiting_approval", maker: key, byAnother }, by);
  expect(typeof may === "string" ? may : may.reason).toBe(expected);
});

it.each(["running", "finished", "cancelled"] as const)("one that is %s is not", (state) => {
  const may = decidable({ state, maker: key, byAnother: false }, member);
  expect(may).toMatchObject({ refused: "NOT_AWAITING_APPROVAL" });
});

it.each([
  [149n, "max_total_amount: must be at least 1.50, the sum of the 2 lines with a source amount"],
  [150n, undefined],
])("the maximum %s covers the fixed amounts: %s", (maximum, detail) => {
  const may = approvable(maximum, { currency: "USD", amount: 150n, lines: 2 });
  expect(may === "approvable" ? undefined : may.detail).toBe(detail);
  expect(approvable(1n, undefined)).toBe("approvable");
});

it.each([
  [0, true],
  [waitingMax - 1, true],
  [waitingMax, false],
])("with %i payouts waiting for a rail a batch goes on: %s", (waiting, goesOn) => {
  expect(mayGoOn(waiting)).toBe(goesOn);
});
