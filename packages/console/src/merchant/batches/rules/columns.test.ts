import { BatchTermsSchema } from "@disburse/contracts/disburse/payout/v1/batches_pb.ts";
import { expect, it } from "vitest";
import { fields, guessColumns, rememberedOf, shownFields, withColumn } from "./columns.ts";

/** The columns of the API's own format, except metadata. */
const batchColumns = BatchTermsSchema.fields
  .map(({ name }) => name)
  .filter((name) => name !== "metadata");

it("knows every column of the API's own format, which maps itself", () => {
  const columnOf = guessColumns([...batchColumns, "metadata.department"], {}, {});
  const own = Object.fromEntries(batchColumns.map((name, at) => [name, at]));
  expect(columnOf).toEqual({ ...own, "metadata.department": batchColumns.length });
  expect(fields.map(({ name }) => name).toSorted()).toEqual(batchColumns.toSorted());
});

it.each([
  [
    ["Employee Name", "NET PAY", "Ref."],
    { beneficiary_id: 0, receiving_amount: 1, reference_id: 2 },
  ],
  [["Notes", "Payee", "Amount"], { beneficiary_id: 1, receiving_amount: 2 }],
  [["Account", "account_id", "name"], { account_id: 1, beneficiary_id: 2 }],
  [["Betrag", "Wer"], {}],
])("guesses the columns %j", (header, columnOf) => {
  expect(guessColumns(header, {}, {})).toEqual(columnOf);
});

it("guesses a column by its label in the person's language", () => {
  expect(guessColumns(["Betrag (EUR)"], { source_amount: "Betrag, EUR" }, {})).toEqual({
    source_amount: 0,
  });
});

it("remembers choices by the names of columns, also that one isn't read", () => {
  const header = ["Amount", "Wer", ""];
  const chosen = withColumn(guessColumns(header, {}, {}), "receiving_amount", undefined);
  const remembered = rememberedOf(header, withColumn(chosen, "beneficiary_id", 1));
  expect(guessColumns(["wer", "amount"], {}, remembered)).toEqual({ beneficiary_id: 0 });
});

it("takes a column away from the field that had it", () => {
  expect(withColumn({ receiving_amount: 0, reference_id: 1 }, "source_amount", 0)).toEqual({
    reference_id: 1,
    source_amount: 0,
  });
});

it("shows the basic columns, those of the file, and metadata", () => {
  expect(shownFields({})).toEqual(["beneficiary_id", "receiving_amount", "reference_id"]);
  expect(shownFields({ source_amount: 0, "metadata.a": 1 })).toEqual([
    ...["beneficiary_id", "source_amount", "reference_id", "metadata.a"],
  ]);
});
