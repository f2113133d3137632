import { expect, it } from "vitest";
import { readCsvBody } from "./csv.ts";

const table = {
  lines: "lines",
  columns: ["beneficiary_id", "source_amount", "reference_id", "allow_duplicate"],
  ...{ flags: ["allow_duplicate"], pairs: "metadata" },
};
const read = (text: string) => readCsvBody(Buffer.from(text), table);

it.each([
  ["rows by their columns", "beneficiary_id,source_amount\r\nben_1,10.00\r\nben_2,5\r\n"],
  [
    "a byte order mark, spaces in the header, empty rows",
    "\uFEFFbeneficiary_id , source_amount\nben_1,10.00\n\nben_2,5",
  ],
])("a file is read: %s", (_what, text) => {
  expect(read(text)).toEqual({
    lines: [
      { beneficiary_id: "ben_1", source_amount: "10.00" },
      { beneficiary_id: "ben_2", source_amount: "5" },
    ],
  });
});

it("an empty cell was not sent; quoted ones keep commas, quotes and line ends", () => {
  const text = 'source_amount,reference_id\n,"a, ""b""\nc"\n';
  expect(read(text)).toEqual({ lines: [{ reference_id: 'a, "b"\nc' }] });
});

it("columns of metadata are the keys of an object, and flags are what JSON would have", () => {
  const text =
    "source_amount,metadata.order,metadata.cost.centre,allow_duplicate\n1,1001,EU,true\n2,,,\n3,,x,yes\n";
  expect(read(text)).toEqual({
    lines: [
      {
        source_amount: "1",
        metadata: { order: "1001", "cost.centre": "EU" },
        allow_duplicate: true,
      },
      { source_amount: "2" },
      { source_amount: "3", metadata: { "cost.centre": "x" }, allow_duplicate: "yes" },
    ],
  });
  for (const column of ["metadata.", "metadata.__proto__", "metadata"]) {
    expect(read(`${column}\nx\n`)).toMatchObject({ refused: "INVALID_REQUEST" });
  }
});

it("names that objects inherit are columns like others", () => {
  expect(read("__proto__,constructor\n1,2\n")).toMatchObject({ refused: "INVALID_REQUEST" });
});

it.each([
  [
    "a column that is not known",
    "beneficiary\nben_1\n",
    /^beneficiary: is not known here, did you mean beneficiary_id\?$/,
  ],
  ["a column without a sound name", "beneficiary_id,\u00e9\nben_1,x\n", /^column_2: is not known/],
  ["a column twice", "source_amount,source_amount\n1,2\n", /^source_amount: must not be repeated$/],
  [
    "a row that is too short",
    "beneficiary_id,source_amount\nben_1,1\nben_2\n",
    /^body: must be a CSV file .* at row 3$/,
  ],
  ["an open quote", 'beneficiary_id\n"ben_1\n', /^body: must be a CSV file/],
  ["nothing", "", /^body: must have a header row$/],
])("a file with %s is refused", (_what, text, detail) => {
  expect(read(text)).toEqual({ refused: "INVALID_REQUEST", detail: expect.stringMatching(detail) });
});

it("bytes that are not UTF-8 are refused", () => {
  expect(readCsvBody(Buffer.from([0xff, 0xfe]), table)).toMatchObject({
    detail: "body: must be UTF-8",
  });
});
