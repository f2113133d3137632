import { expect, it } from "vitest";
import { readCsvBody } from "./csv.ts";

const table = {
  lines: "lines",
  columns: ["beneficiary_id", "source_amount", "reference_id", "allow_duplicate"],
  ...{ flags: ["allow_duplicate"], amounts: ["source_amount"], pairs: "metadata" },
  ...{ notes: ["failure_code"], parameters: ["file_name"] },
};
const read = (text: string, query: Record<string, unknown> = {}) =>
  readCsvBody(Buffer.from(text), table, query);
const lines = (text: string, query?: Record<string, unknown>) => {
  const sheet = read(text, query);
  return "refused" in sheet ? sheet.detail : sheet.body.lines;
};
/** Returns the problems as `field: problem`, with the row of the header's. */
const problems = (text: string, query?: Record<string, unknown>) => {
  const sheet = read(text, query);
  if ("refused" in sheet) return [sheet.detail];
  return sheet.sheet.problems.map(({ field, problem, lines: of }) =>
    [`${field}: ${problem}`, of?.rows ?? []].flat().join(" @"),
  );
};
const two = [
  { beneficiary_id: "ben_1", source_amount: "10.00" },
  { beneficiary_id: "ben_2", source_amount: "5" },
];

it.each([
  ["rows by their columns", "beneficiary_id,source_amount\r\nben_1,10.00\r\nben_2,5\r\n", [2, 3]],
  [
    "a byte order mark, spaces in the header, empty rows",
    "\uFEFFbeneficiary_id , source_amount\nben_1,10.00\n\nben_2,5",
    [2, 4],
  ],
  ["semicolons", "beneficiary_id;source_amount\nben_1;10.00\nben_2;5\n", [2, 3]],
  ["tabs", "beneficiary_id\tsource_amount\nben_1\t10.00\nben_2\t5\n", [2, 3]],
  ["a named separator", "sep=;\r\nbeneficiary_id;source_amount\r\nben_1;10.00\r\nben_2;5", [2, 3]],
  ["carriage returns", "beneficiary_id,source_amount\rben_1,10.00\rben_2,5\r", [2, 3]],
  [
    "empty columns and rows at its end",
    "beneficiary_id,source_amount,,\nben_1,10.00,,\nben_2,5,, \n,,,\n,,,\n",
    [2, 3],
  ],
  [
    "empty rows at its beginning",
    ";\n;\nbeneficiary_id;source_amount\nben_1;10.00\nben_2;5\n",
    [4, 5],
  ],
  ["a cell of two rows", 'beneficiary_id,source_amount\n"ben_1\n",10.00\nben_2,5\n', [2, 3]],
])("a file is read: %s", (_what, text, rows) => {
  const sheet = read(text, {});
  if ("refused" in sheet) throw new Error(sheet.detail);
  expect(JSON.parse(JSON.stringify(sheet.body.lines).replace("\\n", ""))).toEqual(two);
  expect(sheet.sheet).toEqual({ rows, problems: [] });
});

it("an empty cell was not sent; quoted ones keep commas, quotes and line ends", () => {
  const text = 'source_amount,reference_id\n,"a, ""b""\nc"\n';
  expect(lines(text)).toEqual([{ reference_id: 'a, "b"\nc' }]);
});

it("columns of metadata are the keys of an object, and flags are what JSON would have", () => {
  const text =
    "source_amount,metadata.order,metadata.cost.centre,allow_duplicate\n1,1001,EU,TRUE\n2,,,\n3,,x,yes\n";
  expect(lines(text)).toEqual([
    {
      source_amount: "1",
      metadata: { order: "1001", "cost.centre": "EU" },
      allow_duplicate: true,
    },
    { source_amount: "2" },
    { source_amount: "3", metadata: { "cost.centre": "x" }, allow_duplicate: "yes" },
  ]);
  for (const column of ["metadata.", "metadata.__proto__", "metadata"]) {
    expect(problems(`${column}\nx\n`)[0]).toMatch(/is not known here.* @1$/);
  }
});

it("names that objects inherit are columns like others", () => {
  expect(problems("__proto__,constructor\n1,2\n")).toHaveLength(2);
  const metadata = { constructor: "a", toString: "b" };
  expect(lines("metadata.constructor,metadata.toString\na,b\n")).toEqual([{ metadata }]);
});

it("the name of a file is a parameter", () => {
  expect(read("source_amount\n1\n", { file_name: "a.csv", other: "b" })).toMatchObject({
    body: { file_name: "a.csv", lines: [{ source_amount: "1" }] },
  });
});

it.each<[string, string | undefined, string, string[]]>([
  ["10,50", "comma", "10.50", []],
  ["10", "comma", "10", []],
  ["1.050,50", "comma", "1.050.50", ["must have a decimal comma and no point"]],
  ["10.50", "comma", "10.50", ["must have a decimal comma and no point"]],
  [
    "10,50",
    undefined,
    "10,50",
    ["must have a decimal point, or send decimal_separator=comma with the file"],
  ],
  ["10.50", "point", "10.50", []],
])("the amount %s with the separator %s is %s", (cell, separator, amount, found) => {
  const text = `source_amount;reference_id\n${cell};1,5\n`;
  const query = { decimal_separator: separator };
  expect(lines(text, query)).toEqual([{ source_amount: amount, reference_id: "1,5" }]);
  const field = "lines[0].source_amount";
  expect(problems(text, query)).toEqual(found.map((each) => `${field}: ${each}`));
});

it("the platform's own file of failed lines is read without its notes and escapes", () => {
  const own = "reference_id,failure_code\n'=1+1,LIMIT_EXCEEDED\n";
  expect(lines(own)).toEqual([{ reference_id: "=1+1" }]);
  expect(lines("reference_id\n'=1+1\n")).toEqual([{ reference_id: "'=1+1" }]);
});

it.each([
  [
    "a column that is not known",
    "beneficiary\nben_1\n",
    ["beneficiary: is not known here, did you mean beneficiary_id? @1"],
  ],
  [
    "a column without a sound name",
    "beneficiary_id,\u00e9\nben_1,x\n",
    ["column_2: is not known here @1"],
  ],
  [
    "a column twice",
    "source_amount,source_amount\n1,2\n",
    ["source_amount: must not be repeated @1"],
  ],
  [
    "a row that is too short",
    "beneficiary_id,source_amount\nben_1,1\nben_2\n",
    ["lines[1]: has 1 of 2 cells"],
  ],
  [
    "a value beyond the header",
    "beneficiary_id,source_amount,\nben_1,1,2\n",
    ["lines[0]: has a value in column 3, which has no name"],
  ],
  [
    "an open quote",
    'beneficiary_id\n"ben_1\nben_2\n',
    ['lines[0]: must have quotes only around a whole cell, and "" for a quote within it'],
  ],
  ["nothing", "", ["body: must have a header row"]],
])("a file with %s is refused, and the rest of it is read", (_what, text, expected) => {
  expect(problems(text)).toEqual(expected);
});

it("cells of a misspelt column are read as those of the column that was meant", () => {
  expect(lines("source_ammount\nten\n")).toEqual([{ source_amount: "ten" }]);
  expect(lines("source_ammount,source_amount\nten,1\n")).toEqual([{ source_amount: "1" }]);
});

it("rows after an open quote are read", () => {
  expect(lines('beneficiary_id\n"ben_1\nben_2\n')).toEqual([{}, { beneficiary_id: "ben_2" }]);
});

it.each([
  ["not UTF-8", [0xff, 0xfe], "body: must be UTF-8: save the file as CSV UTF-8"],
  [
    "a workbook",
    [0xd0, 0xcf, 0x11, 0xe0],
    "body: must be a CSV file: save the workbook as CSV UTF-8",
  ],
])("bytes that are %s are refused", (_what, bytes, detail) => {
  expect(readCsvBody(Buffer.from(bytes), table, {})).toMatchObject({ detail });
});
