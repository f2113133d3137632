import type { EntryType, NameKind } from "@disburse/name-matcher/entry.ts";
import type { ListEntry } from "../rules/entry.ts";
import { type CsvRow, type CsvTable, csvRows, csvTable } from "./csv-rows.ts";
import { type EntryDraft, entriesOfRows } from "./entry-draft.ts";
import { type Format, type ListFile, type Note, onlyFile, Unreadable } from "./file-bytes.ts";
import { partialDate, yearSpan } from "./listed-date.ts";

/** The compared columns, of the 58 in the UK sanctions list. */
const columns = {
  uid: ["Unique ID"],
  name1: ["Name 1"],
  name2: ["Name 2"],
  name3: ["Name 3"],
  name4: ["Name 4"],
  name5: ["Name 5"],
  name6: ["Name 6"],
  nameType: ["Name type"],
  aliasStrength: ["Alias strength"],
  nonLatinName: ["Name non-latin script"],
  regime: ["Regime Name"],
  type: ["Designation Type", "Individual, Entity, Ship"],
  addressCountry: ["Address Country"],
  births: ["D.O.B"],
  nationalities: ["Nationality(/ies)"],
  birthCountry: ["Country of birth"],
  passports: ["Passport number"],
  nationalIds: ["National Identifier number"],
  registrations: ["Business registration number (s)"],
  imoNumber: ["IMO number"],
  hullNumber: ["Hull identification number (HIN)"],
  flag: ["Current believed flag of ship"],
  formerFlags: ["Previous flags"],
} as const;
type Column = keyof typeof columns;
type Row = CsvTable<Column>[number];

const types: ReadonlyMap<string, EntryType> = new Map([
  ["individual", "individual"],
  ["entity", "entity"],
  ["ship", "vessel"],
]);

const uidText = /^[\x21-\x7e]{1,128}$/;

/**
 * The UK's list. Each name and address of an entry has its own row. The first line has the list's
 * date.
 */
export const format: Format = { read: readUkCsv, mebibytesMax: 128 };

function readUkCsv(files: readonly ListFile[], note: Note): ListEntry[] {
  const table = csvTable(belowReportDate(csvRows(onlyFile(files), ",")), columns);
  const words = { uidName: "Unique ID", typeName: "type" };
  return entriesOfRows(table, words, note, identify, (draft, row, noteHere) => {
    draft.addProgram(row.cell("regime"));
    addNames(draft, row);
    for (const text of listed(row.cell("births"))) draft.addBirths(datesOf(text), noteHere);
    const countries = countryColumns.flatMap((column) => listed(row.cell(column)));
    for (const name of countries) draft.addCountry(name);
    addDocuments(draft, row);
  });
}

function belowReportDate([first, ...rows]: readonly CsvRow[]): readonly CsvRow[] {
  if (first === undefined) throw new Unreadable("line 1: must be a report date");
  return /^report date/i.test(first.cells[0]?.trim() ?? "") ? rows : [first, ...rows];
}

function identify(row: Row) {
  const uid = row.cell("uid");
  if (!uidText.test(uid)) throw new Unreadable("has no Unique ID");
  const type = types.get(row.cell("type").toLowerCase());
  if (type === undefined) throw new Unreadable(`type ${row.cell("type")} is not known`);
  return { uid, type };
}

/**
 * Adds the names of a row. The sixth name column has the family name, or the whole name of a
 * company.
 */
function addNames(draft: EntryDraft, row: Row): void {
  const parts = (["name1", "name2", "name3", "name4", "name5", "name6"] as const).map(row.cell);
  draft.addName(parts.join(" "), nameKind(row));
  for (const name of listed(row.cell("nonLatinName"))) draft.addName(name, "alias");
}

function nameKind(row: Row): NameKind {
  if (row.cell("nameType").toLowerCase() === "primary name") return "primary";
  return /low|weak/i.test(row.cell("aliasStrength")) ? "weak" : "alias";
}

/** Splits a cell with several values: `(1) A (2) B` or `A|B`. */
function listed(text: string): string[] {
  return text
    .split(/\(\d+\)\s|\|/)
    .map((value) => value.trim().replace(/[;,.]$/, ""))
    .filter((value) => value !== "");
}

/** Accepts `07/10/1952`, `dd/mm/1952`, `00/00/1952`, a year alone, or two years. */
function datesOf(text: string): string[] | undefined {
  const [, day = "", month = "", year = ""] =
    /^(?:(\d\d|dd)\/(\d\d|mm)\/)?(\d{4})$/i.exec(text) ?? [];
  const date = partialDate(year, month, day);
  const [, from = "", to = ""] = /^(\d{4})\s*(?:-|to)\s*(\d{4})$/.exec(text) ?? [];
  return date === undefined ? yearSpan(from, to) : [date];
}

const countryColumns = [
  "addressCountry",
  "nationalities",
  "birthCountry",
  "flag",
  "formerFlags",
] as const;

const documentTypes = {
  passports: "Passport",
  nationalIds: "National Identifier",
  registrations: "Business registration number",
  imoNumber: "IMO number",
  hullNumber: "Hull identification number",
} as const;

function addDocuments(draft: EntryDraft, row: Row): void {
  for (const [column, type] of Object.entries(documentTypes)) {
    const numbers = listed(row.cell(column as keyof typeof documentTypes));
    for (const number of numbers) draft.addDocument(type, number, "");
  }
}
