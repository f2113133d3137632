import type { Account, BatchValidationProblemsItem } from "@disburse/sdk/gen/types.ts";
import { type ColumnOf, shownFields } from "./columns.ts";
import type { Payees } from "./payees.ts";
import type { Row, Sheet } from "./sheet.ts";

/** Examples of the ways to write an amount. A person chooses; the file is never guessed. */
export const amountStyles = { plain: "1234.56", point: "1,234.56", comma: "1.234,56" } as const;
export type AmountStyle = keyof typeof amountStyles;

/** The content of a payroll's page, which is also its draft. */
export type Payroll = Sheet & {
  readonly fileName: string;
  readonly columnOf: ColumnOf;
  readonly amountStyle: AmountStyle;
  readonly accountId: string;
  readonly reference: string;
  /** The batch whose failed lines these are; "" for none. */
  readonly corrects: string;
};

/** A batch has one account, so its failed lines need no columns for it. */
export function withAccountOfLines(payroll: Payroll): Payroll {
  const { account_id: at, source_currency_code: _, ...columnOf } = payroll.columnOf;
  const accountId = payroll.rows[0]?.cells[at ?? -1] ?? payroll.accountId;
  return { ...payroll, columnOf, accountId };
}

export type Parties = { readonly accounts: readonly Account[]; readonly payees: Payees };

/** A problem of a line. Without a field it is one of the whole line. */
export type LineProblem = {
  readonly field: string;
  readonly text: string;
  /** The batch can't be created. Otherwise the line would fail, or isn't what the person meant. */
  readonly isMistake: boolean;
  readonly code?: string;
};
export type ProblemsOf = ReadonlyMap<number, readonly LineProblem[]>;

export type OwnWords = {
  readonly noPayee: string;
  readonly somePayees: (of: { count: number }) => string;
  readonly amountForm: (of: { example: string }) => string;
  readonly sameAs: (of: { row: number }) => string;
};

export const possibleDuplicate = "POSSIBLE_DUPLICATE";

/** The reference of a line without one. A failed line is found by its reference. */
export const autoReference = ({ corrects }: Payroll, { id }: Row) =>
  corrects === "" ? `row-${id}` : "";

const amountFields = ["receiving_amount", "source_amount", "max_source_amount"] as const;
/** Digits are also grouped by apostrophes and blanks. */
const whole = (separator: string) => `(\\d+|\\d{1,3}(?:[' \u00a0\u2009\u202f${separator}]\\d{3})+)`;
const forms: Readonly<Record<AmountStyle, RegExp>> = {
  plain: /^(\d+)(?:\.(\d+))?$/,
  point: new RegExp(`^${whole(",")}(?:\\.(\\d+))?$`),
  comma: new RegExp(`^${whole(".")}(?:,(\\d+))?$`),
};

/** Converts an amount to the API's form; undefined if it isn't written in the chosen style. */
export function amountIn(style: AmountStyle, text: string): string | undefined {
  const [, digits, decimals] = forms[style].exec(text) ?? [];
  const plain = digits?.replace(/\D/g, "");
  return decimals === undefined ? plain : `${plain}.${decimals}`;
}

export const cellOf = ({ columnOf }: Payroll, { cells }: Row, field: string): string =>
  cells[columnOf[field] ?? -1]?.trim() ?? "";

/** Changes a cell. A field without a column gets one. */
export function withCell(payroll: Payroll, id: number, field: string, text: string): Payroll {
  const at = payroll.columnOf[field] ?? payroll.header.length;
  const isNew = payroll.columnOf[field] === undefined;
  const rows = payroll.rows.map((row) => {
    if (row.id !== id) return row;
    const cells = Array.from({ length: Math.max(row.cells.length, at + 1) }, (_, place) =>
      place === at ? text : (row.cells[place] ?? ""),
    );
    return { id, cells };
  });
  if (!isNew) return { ...payroll, rows };
  const header = [...payroll.header, field];
  return { ...payroll, rows, header, columnOf: { ...payroll.columnOf, [field]: at } };
}

export function withNewRow(payroll: Payroll): Payroll {
  const id = Math.max(1, ...payroll.rows.map((row) => row.id)) + 1;
  return { ...payroll, rows: [...payroll.rows, { id, cells: [] }] };
}

/** Makes the body of Create batch, and finds the problems that only the console knows. */
export function batchOf(payroll: Payroll, parties: Parties, words: OwnWords) {
  const seen = new Map<string, number>();
  const problems = new Map<number, LineProblem[]>();
  const lines = payroll.rows.map((row) => {
    const { line, problems: own } = lineOf(payroll, row, parties, words);
    const typed = cellOf(payroll, row, "reference_id");
    const amounts = amountFields.map((name) => line[name]?.replace(/\.0*$|(?<=\.\d*?)0+$/, ""));
    const payment = JSON.stringify([line["beneficiary_id"], typed, ...amounts]);
    const same = seen.get(payment);
    const isPaid = line["beneficiary_id"] !== undefined && own.length === 0;
    if (isPaid && same === undefined) seen.set(payment, row.id);
    const isAllowed = line["allow_duplicate"]?.toLowerCase() === "true";
    if (isPaid && same !== undefined && !isAllowed) {
      const text = words.sameAs({ row: same });
      own.push({ field: "", text, isMistake: false, code: possibleDuplicate });
    }
    if (own.length > 0) problems.set(row.id, own);
    return bodyOf(line);
  });
  const { fileName, reference, corrects } = payroll;
  const body = {
    lines,
    ...(fileName === "" ? {} : { file_name: fileName }),
    ...(reference === "" ? {} : { reference_id: reference }),
    ...(corrects === "" ? {} : { corrects_batch_id: corrects }),
  };
  const texts = new Map(payroll.rows.map(({ id }, at) => [id, JSON.stringify(lines[at])]));
  return { body, text: JSON.stringify(body), texts, problems };
}

type Line = Readonly<Record<string, string | undefined>>;

function lineOf(payroll: Payroll, row: Row, { accounts, payees }: Parties, words: OwnWords) {
  const problems: LineProblem[] = [];
  const wrong = (field: string, text: string) => problems.push({ field, text, isMistake: true });
  const own = Object.keys(payroll.columnOf).map((field) => [field, cellOf(payroll, row, field)]);
  const line: Record<string, string | undefined> = Object.fromEntries(own);
  for (const field of amountFields) {
    const text = line[field] || undefined;
    line[field] = text && amountIn(payroll.amountStyle, text);
    if (line[field] === text || line[field] !== undefined) continue;
    wrong(field, words.amountForm({ example: amountStyles[payroll.amountStyle] }));
  }
  const payee = line["beneficiary_id"] ?? "";
  const found = payees.find(payee);
  // The platform tells what is wrong with an id that isn't active.
  const isOwnId = found.length === 0 && payee.startsWith("ben_");
  if (found.length !== 1 && !isOwnId) {
    const count = found.length;
    wrong("beneficiary_id", count === 0 ? words.noPayee : words.somePayees({ count }));
  }
  const [beneficiary] = found.length === 1 ? found : [];
  line["beneficiary_id"] = beneficiary?.beneficiary_id ?? (isOwnId ? payee : undefined);
  line["destination_currency_code"] ||= beneficiary?.destination_currency;
  line["account_id"] ??= payroll.accountId;
  const account = accounts.find(({ id }) => id === line["account_id"]);
  line["source_currency_code"] ??= account?.currency_code;
  line["reference_id"] ||= autoReference(payroll, row);
  return { line: line as Line, problems };
}

/** Omits empty fields. Other texts than those of a flag stay, so that the platform refuses them. */
function bodyOf(line: Line): object {
  const sent = Object.entries(line).filter(([, text]) => text !== undefined && text !== "");
  const isOfData = ([name]: readonly [string, unknown]) => name.startsWith("metadata.");
  const data = sent.filter(isOfData).map(([name, text]) => [name.slice("metadata.".length), text]);
  const flag = line["allow_duplicate"]?.toLowerCase();
  return {
    ...Object.fromEntries(sent.filter((entry) => !isOfData(entry))),
    ...(flag === "true" || flag === "false" ? { allow_duplicate: flag === "true" } : {}),
    ...(data.length === 0 ? {} : { metadata: Object.fromEntries(data) }),
  };
}

/** A problem of Validate batch, as the public API returns it. */
type FoundProblem = Pick<BatchValidationProblemsItem, "code" | "field" | "message" | "lines">;

/** Fields whose problem follows from another's. */
const following: Readonly<Record<string, readonly string[]>> = {
  beneficiary_id: ["beneficiary_id", "destination_currency_code"],
  receiving_amount: amountFields,
  source_amount: amountFields,
};

/**
 * Adds the platform's problems to their rows. Those of the batch itself are under row 0. A line that
 * has changed since it was checked has none: `checked` has the lines' texts of that time.
 */
export function withFound(
  { problems: own, texts }: Pick<ReturnType<typeof batchOf>, "problems" | "texts">,
  found: readonly FoundProblem[],
  checked: ReadonlyMap<number, string>,
): ProblemsOf {
  const all = new Map([...own].map(([id, problems]) => [id, [...problems]]));
  const ids = [...checked.keys()];
  for (const { code, field: path, message: text, lines } of found) {
    const [, field = ""] = /^lines\[\d+\]\.?(.*)$/.exec(path) ?? [];
    const named = lines === undefined ? path : field;
    const problem = { field: named, text, isMistake: code === "INVALID_REQUEST", code };
    for (const id of lines?.map((number) => ids[number - 1] ?? 0) ?? [0]) {
      const isKnown = (own.get(id) ?? []).some((each) => following[each.field]?.includes(field));
      if (isKnown || texts.get(id) !== checked.get(id)) continue;
      all.set(id, [...(all.get(id) ?? []), problem]);
    }
  }
  return all;
}

/** Puts each problem under a shown field; "" for the line as a whole. */
export function placeOf({ columnOf }: Payroll, field: string): string {
  const shown = shownFields(columnOf);
  if (shown.includes(field)) return field;
  const amount = shown.find((each) => each === "receiving_amount" || each === "source_amount");
  return field === "source_amount" || field === "receiving_amount" ? (amount ?? "") : "";
}
