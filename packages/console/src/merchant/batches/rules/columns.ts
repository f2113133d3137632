import type { Sheet } from "./sheet.ts";

/** A field of a batch's line that a column of a file can have. */
type Field = {
  readonly name: string;
  /** Header names in people's files, besides the field's name and its label. */
  readonly headers: readonly string[];
  /** The cell of the template's example line; the template has only columns with one. */
  readonly example?: string;
  /** The grid shows the column even if the file doesn't have it. */
  readonly isBasic?: true;
};

/**
 * The columns of a payroll, for its template, its mapping and its grid. An amount without a side is
 * what the beneficiary receives, and a currency the beneficiary's, because both are the payee's view.
 */
export const fields: readonly Field[] = [
  {
    name: "beneficiary_id",
    headers: [
      ...["payee", "name", "full name", "employee", "employee name", "recipient", "supplier"],
      ...["vendor", "beneficiary name", "payee name", "recipient name", "supplier name", "staff"],
      ...["beneficiary reference", "employee id", "employee number", "vendor name"],
    ],
    example: "Jane Doe",
    isBasic: true,
  },
  {
    name: "receiving_amount",
    headers: ["amount", "net", "net pay", "net salary", "salary", "pay", "payment", "total"],
    example: "2000.00",
  },
  { name: "source_amount", headers: ["send amount", "debit amount", "amount sent", "cost"] },
  {
    name: "destination_currency_code",
    headers: ["currency", "currency code", "ccy", "destination currency"],
    example: "EUR",
  },
  {
    name: "reference_id",
    headers: ["reference", "ref", "payment reference", "invoice", "invoice number", "payroll id"],
    example: "salary-2026-12-jane",
    isBasic: true,
  },
  {
    name: "remittance_information",
    headers: ["description", "message", "memo", "details", "remittance", "note", "narrative"],
    example: "Salary December",
  },
  { name: "purpose_code", headers: ["purpose"] },
  { name: "max_source_amount", headers: ["maximum amount", "max amount"] },
  { name: "allow_duplicate", headers: [] },
  { name: "account_id", headers: ["account", "from account"] },
  { name: "source_currency_code", headers: ["source currency", "account currency"] },
];

/** Indexes of the file's columns by the field that they contain. */
export type ColumnOf = Readonly<Record<string, number | undefined>>;

/** Fields by normalised header, from an earlier file; "" for a column that isn't read. */
export type Remembered = Readonly<Record<string, string>>;

const normal = (header: string) => header.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
const isMetadata = (name: string) => /^metadata\../.test(name);

/** The names of the columns; "" for those without a value, which are neither read nor remembered. */
export const namesOf = ({ header, rows }: Sheet): readonly string[] =>
  header.map((name, at) => (rows.some(({ cells }) => cells[at]?.trim()) ? name : ""));

/** Finds the field of each column: as in an earlier file, or by the names that people use. */
export function guessColumns(
  header: readonly string[],
  labels: Readonly<Record<string, string>>,
  remembered: Remembered,
): ColumnOf {
  const names = header.map(normal);
  const known = fields.flatMap(({ name, headers }) => {
    const meant = [name, labels[name] ?? name, ...headers].map(normal);
    const isOf = (each: string) => remembered[each] === undefined && meant.includes(each);
    const before = names.findIndex((each) => each !== "" && remembered[each] === name);
    // The field's own name wins over a word such as "account".
    const own = names.findIndex((each) => isOf(each) && each === meant[0]);
    const at = [before, own, names.findIndex(isOf)].find((place) => place !== -1);
    return at === undefined ? [] : [[name, at] as const];
  });
  const data = header.flatMap((name, at) => (isMetadata(name) ? [[name, at] as const] : []));
  return Object.fromEntries([...known, ...data]);
}

/** Assigns a column to a field. No other field keeps it. */
export function withColumn(columnOf: ColumnOf, field: string, at: number | undefined): ColumnOf {
  const others = Object.entries(columnOf).filter(([name, each]) => name !== field && each !== at);
  return Object.fromEntries(at === undefined ? others : [...others, [field, at]]);
}

/** The choices to remember for later files: names of columns, and nothing of the lines. */
export function rememberedOf(header: readonly string[], columnOf: ColumnOf): Remembered {
  const fieldAt = new Map(Object.entries(columnOf).map(([field, at]) => [at, field]));
  return Object.fromEntries(header.map((name, at) => [normal(name), fieldAt.get(at) ?? ""]));
}

/** The fields that the grid shows, in order. */
export function shownFields(columnOf: ColumnOf): readonly string[] {
  const basic = columnOf["source_amount"] === undefined ? "receiving_amount" : "source_amount";
  const own = fields.filter(
    ({ name, isBasic }) => isBasic || name === basic || columnOf[name] !== undefined,
  );
  return [...own.map(({ name }) => name), ...Object.keys(columnOf).filter(isMetadata)];
}
