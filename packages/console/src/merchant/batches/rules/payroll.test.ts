import type { Account, Beneficiary } from "@disburse/sdk/gen/types.ts";
import { expect, it } from "vitest";
import { payeesOf } from "./payees.ts";
import {
  amountIn,
  batchOf,
  type Payroll,
  placeOf,
  withCell,
  withFound,
  withNewRow,
} from "./payroll.ts";

const payee = (id: string, name: string, more: Partial<Beneficiary> = {}) =>
  ({
    beneficiary_id: id,
    beneficiary_name: name,
    beneficiary_account_number: `****${id}`,
    destination_currency: "EUR",
    ...more,
  }) as Beneficiary;
const all = [
  payee("ben_1", "Jane  Doe", { reference_id: "E-17" }),
  payee("ben_2", "John Roe"),
  payee("ben_3", "john roe", { destination_currency: "USD" }),
];
const accounts = [{ id: "acc_1", currency_code: "USD" }] as Account[];
const parties = { accounts, payees: payeesOf(all, false) };
const words = {
  noPayee: "nobody",
  somePayees: ({ count }: { count: number }) => `${count} of them`,
  amountForm: ({ example }: { example: string }) => `as ${example}`,
  sameAs: ({ row }: { row: number }) => `as row ${row}`,
};

const header = ["Name", "Pay", "Ref"];
const columnOf = { beneficiary_id: 0, receiving_amount: 1, reference_id: 2 };
const payroll = (lines: readonly (readonly string[])[], more: Partial<Payroll> = {}): Payroll => ({
  header,
  columnOf,
  rows: lines.map((cells, at) => ({ id: at + 2, cells })),
  fileName: "",
  amountStyle: "plain",
  accountId: "acc_1",
  reference: "",
  corrects: "",
  ...more,
});
const made = (lines: readonly (readonly string[])[], more: Partial<Payroll> = {}) =>
  batchOf(payroll(lines, more), parties, words);

it.each([
  ["plain", "1234.50", "1234.50"],
  ["plain", "1,50", undefined],
  ["plain", "1,234", undefined],
  ["plain", "-1", undefined],
  ["plain", "1e3", undefined],
  ["point", "1,234,567.5", "1234567.5"],
  ["point", "1234.5", "1234.5"],
  ["point", "1 234.5", "1234.5"],
  ["point", "1,23", undefined],
  ["point", "1.234,50", undefined],
  ["comma", "1.234,50", "1234.50"],
  ["comma", "1'234,50", "1234.50"],
  ["comma", "1234,5", "1234.5"],
  ["comma", "1.23", undefined],
  ["comma", "9007199254740993,10", "9007199254740993.10"],
] as const)("reads in the style %s %j as %j", (style, text, amount) => {
  expect(amountIn(style, text)).toBe(amount);
});

it("makes lines of beneficiaries by name, reference and id, with their currency", () => {
  const { body, problems, texts } = made([
    [" jane doe ", "10.00", "a"],
    ["e-17", "11", ""],
    ["ben_2", "12", ""],
    ["ben_archived", "13", ""],
  ]);
  const parts = { account_id: "acc_1", source_currency_code: "USD" };
  const to = { ...parts, destination_currency_code: "EUR" };
  expect(body.lines).toEqual([
    { ...to, beneficiary_id: "ben_1", receiving_amount: "10.00", reference_id: "a" },
    { ...to, beneficiary_id: "ben_1", receiving_amount: "11", reference_id: "row-3" },
    { ...to, beneficiary_id: "ben_2", receiving_amount: "12", reference_id: "row-4" },
    { ...parts, beneficiary_id: "ben_archived", receiving_amount: "13", reference_id: "row-5" },
  ]);
  expect([problems.size, [...texts.keys()]]).toEqual([0, [2, 3, 4, 5]]);
});

it("never guesses a beneficiary or an amount", () => {
  const { body, problems } = made([
    ["Nobody", "10.00", ""],
    ["John Roe", "10.00", ""],
    ["Jane Doe", "1,50", ""],
  ]);
  expect(Object.fromEntries(problems)).toEqual({
    2: [{ field: "beneficiary_id", text: "nobody", isMistake: true }],
    3: [{ field: "beneficiary_id", text: "2 of them", isMistake: true }],
    4: [{ field: "receiving_amount", text: "as 1234.56", isMistake: true }],
  });
  expect(body.lines.map((line) => Object.keys(line).includes("receiving_amount"))).toEqual([
    ...[true, true, false],
  ]);
});

it("tells beneficiaries of one name apart by the texts that it offers", () => {
  const { payees } = parties;
  const texts = payees.find("JOHN ROE").map(payees.textOf);
  expect(texts).toEqual(["John Roe, EUR, …ben_2", "john roe, USD, …ben_3"]);
  expect(texts.map((text) => payees.find(text).length)).toEqual([1, 1]);
  const twins = payeesOf(
    [payee("ben_4", "A"), payee("ben_5", "A", { beneficiary_account_number: "****ben_4" })],
    false,
  );
  expect(twins.find("A").map(twins.textOf)).toEqual(["ben_4", "ben_5"]);
});

it("finds by id only if not all beneficiaries were read", () => {
  const cut = payeesOf(all, true);
  expect([cut.find("Jane Doe"), cut.find("ben_1").length]).toEqual([[], 1]);
});

it("warns of the same payment twice, unless the line allows it", () => {
  const lines = [
    ["Jane Doe", "10.00", "a"],
    ["E-17", "10", "a"],
    ["Jane Doe", "10.00", "b"],
    ["Jane Doe", "100", "a"],
  ];
  const text = "as row 2";
  const same = { field: "", text, isMistake: false, code: "POSSIBLE_DUPLICATE" };
  expect([...made(lines).problems]).toEqual([[3, [same]]]);
  const allowed = withCell(payroll(lines), 3, "allow_duplicate", "true");
  const { problems, body } = batchOf(allowed, parties, words);
  expect([problems.size, body.lines[1]]).toEqual([
    0,
    expect.objectContaining({ allow_duplicate: true }),
  ]);
  // The permission of one line is none for another.
  const third = withNewRow(allowed);
  const rows = third.rows.map((row) => (row.id === 6 ? { id: 6, cells: lines[0] ?? [] } : row));
  expect([...batchOf({ ...third, rows }, parties, words).problems]).toEqual([[6, [same]]]);
});

it("names the batch that it corrects, and invents no reference for it", () => {
  const { body } = made([["Jane Doe", "10.00", ""]], { corrects: "bat_1", reference: "fix" });
  expect(body).toMatchObject({ corrects_batch_id: "bat_1", reference_id: "fix" });
  expect(Object.keys(body.lines[0] ?? {})).not.toContain("reference_id");
});

it("sends metadata and wrong flags as they are", () => {
  const more = { header: ["metadata.a", "x"], columnOf: { "metadata.a": 0, allow_duplicate: 1 } };
  expect(made([["7", "maybe"]], more).body.lines).toMatchObject([
    { metadata: { a: "7" }, allow_duplicate: "maybe" },
  ]);
});

it("edits a cell of a new line and of a new column", () => {
  const grown = withNewRow(payroll([["Jane Doe", "1", "a"]]));
  const edited = withCell(grown, 3, "purpose_code", "SALA");
  expect(edited.header).toEqual([...header, "purpose_code"]);
  expect(edited.rows[1]).toEqual({ id: 3, cells: ["", "", "", "SALA"] });
});

it("puts the platform's problems beside their cells, without those that follow from others", () => {
  const lines = [
    ["Nobody", "10.00", ""],
    ["Jane Doe", "10.001", ""],
  ];
  const before = made(lines);
  const found = [
    {
      code: "INVALID_REQUEST",
      field: "lines[0].destination_currency_code",
      message: "is required",
      lines: [1],
    },
    {
      code: "INVALID_REQUEST",
      field: "lines[1].receiving_amount",
      message: "has too many decimals",
      lines: [2],
    },
    { code: "BENEFICIARY_NOT_READY", field: "lines[1]", message: "Not yet.", lines: [2] },
    { code: "INVALID_REQUEST", field: "reference_id", message: "is too long" },
  ];
  expect(Object.fromEntries(withFound(before, found, before.texts))).toEqual({
    0: [{ field: "reference_id", text: "is too long", isMistake: true, code: "INVALID_REQUEST" }],
    2: before.problems.get(2),
    3: [
      {
        field: "receiving_amount",
        text: "has too many decimals",
        isMistake: true,
        code: "INVALID_REQUEST",
      },
      { field: "", text: "Not yet.", isMistake: false, code: "BENEFICIARY_NOT_READY" },
    ],
  });
  // A corrected line has no problem of before. A removed one moves none to another line.
  const edited = withCell(payroll(lines), 3, "receiving_amount", "10.00");
  const corrected = batchOf(edited, parties, words);
  expect([...withFound(corrected, found, before.texts).keys()]).toEqual([2, 0]);
  const { rows } = payroll(lines);
  const fewer = batchOf(payroll([], { rows: rows.slice(1) }), parties, words);
  expect([...withFound(fewer, found, before.texts).keys()]).toEqual([3, 0]);
  const places = ["source_amount", "account_id", "reference_id"].map((field) =>
    placeOf(payroll([]), field),
  );
  expect(places).toEqual(["receiving_amount", "", "reference_id"]);
});
