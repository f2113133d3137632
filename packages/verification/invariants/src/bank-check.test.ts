import { expect, it } from "vitest";
import type { BankFile, BankPayment } from "./documents.ts";
import { checkDocuments } from "./documents-check.ts";
import { now, soundDocuments } from "./test-documents.ts";

/** Changes any field of any document. */
// biome-ignore lint/suspicious/noExplicitAny: a corruption is a wrong value in any place.
type Spoilt = Record<string, any[]>;

const states = { settled: "settled", returned: "returned", rejected: "rejected", going: "filed" };

/** Returns the same payouts, paid in two bank files instead of the sandbox. */
function bankDocuments() {
  const documents = soundDocuments();
  const fileOf = (id: string) => (id === "po_returned" ? "F2" : "F1");
  const payments = documents.payouts.map(({ _id, destination, receiving_minor }): BankPayment => {
    const state = states[_id.slice("po_".length) as keyof typeof states];
    return {
      ...{ _id, rail: "bank", state, currency: destination, amount_minor: receiving_minor },
      ...{ file: fileOf(_id), block: `${fileOf(_id)}-1` },
    };
  });
  const file = (id: string): BankFile => ({
    ...{ _id: id, state: "sent" },
    members: payments.filter((each) => each.file === id).map(({ _id }) => ({ id: _id })),
  });
  return {
    ...documents,
    payouts: documents.payouts.map((payout) => ({ ...payout, rail: "bank" })),
    sandbox_transfers: [],
    bank_payments: payments,
    bank_files: [file("F1"), file("F2")],
  };
}

const check = (documents: Spoilt) => checkDocuments(documents as never, { now });
const payment = (name: string) => (documents: Spoilt) =>
  documents.bank_payments?.find(({ _id }) => _id === `po_${name}`);
const file = (id: string) => (documents: Spoilt) =>
  documents.bank_files?.find(({ _id }) => _id === id);

it("holds for payouts that are in sent files once each", () => {
  expect(check(bankDocuments())).toEqual([]);
});

it.each<[string, string, (documents: Spoilt) => unknown]>([
  ["another amount", "of another amount", (d) => (payment("settled")(d).amount_minor = "1")],
  ["another currency", "of another amount", (d) => (payment("settled")(d).currency = "EUR")],
  ["another rail", "at another rail", (d) => (payment("settled")(d).rail = "other")],
  ["no payout", "without a payout", (d) => (payment("settled")(d)._id = "po_none")],
  [
    "a settled payout that the bank rejected",
    "rejected",
    (d) => (payment("settled")(d).state = "rejected"),
  ],
  [
    "a rejected payout that the bank paid",
    "settled",
    (d) => (payment("rejected")(d).state = "settled"),
  ],
  [
    "a returned payout that did not come back",
    "settled",
    (d) => (payment("returned")(d).state = "settled"),
  ],
  ["a file that was not sent", "was not sent", (d) => (file("F1")(d).state = "written")],
  ["a file without the payment", "occurs 0 times", (d) => file("F2")(d).members.pop()],
  [
    "a payment twice in a file",
    "has a payment twice",
    (d) => file("F2")(d).members.push({ id: "po_returned" }),
  ],
  [
    "a payment in two files",
    "and 1 name it",
    (d) => file("F2")(d).members.push({ id: "po_settled" }),
  ],
  ["a payout that no rail has", "never gave", (d) => d.bank_payments?.splice(0)],
])("finds %s", (_what, detail, spoil) => {
  const documents = bankDocuments() as unknown as Spoilt;
  spoil(documents);
  const findings = check(documents);
  expect(findings.map((each) => each.detail).join("; ")).toContain(detail);
  expect(new Set(findings.map(({ invariant }) => invariant))).toEqual(new Set([9]));
});

it("takes a chain's rail for one that gave the outcome", () => {
  const documents = bankDocuments();
  const chain_transfers = documents.payouts.map(({ _id }) => ({ _id }));
  const found = check({ ...documents, chain_transfers, bank_payments: [], bank_files: [] });
  expect(found).toEqual([]);
});

it("lets a payout be that has not asked for the last word yet, or that people resolved", () => {
  const documents = bankDocuments() as unknown as Spoilt;
  Object.assign(payment("settled")(documents), { state: "returned", report_pending: true });
  expect(check(documents)).toEqual([]);
});
