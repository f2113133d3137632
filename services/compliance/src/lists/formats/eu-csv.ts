import type { EntryType } from "@disburse/name-matcher/entry.ts";
import type { ListEntry } from "../rules/entry.ts";
import { countryCode } from "./country-code.ts";
import { type CsvTable, csvRows, csvTable } from "./csv-rows.ts";
import { type EntryDraft, entriesOfRows } from "./entry-draft.ts";
import { type Format, type ListFile, type Note, onlyFile, Unreadable } from "./file-bytes.ts";
import { partialDate, yearSpan } from "./listed-date.ts";

/** The compared columns, of the 118 in the EU's financial sanctions file 1.1. */
const columns = {
  Entity: ["LogicalId", "SubjectType", "SubjectType_ClassificationCode", "Regulation_Programme"],
  NameAlias: ["LastName", "FirstName", "MiddleName", "WholeName", "Remark"],
  Address: ["CountryIso2Code", "CountryDescription"],
  BirthDate: [
    ...(["BirthDate", "Day", "Month", "Year", "YearRangeFrom", "YearRangeTo"] as const),
    ...(["Circa", "CalendarType", "CountryIso2Code", "CountryDescription"] as const),
  ],
  Identification: ["Number", "TypeDescription", "CountryIso2Code", "CountryDescription"],
  Citizenship: ["CountryIso2Code", "CountryDescription"],
} as const;
type Part = keyof typeof columns;
type Column = { [P in Part]: `${P}_${(typeof columns)[P][number]}` }[Part];
type Row = CsvTable<Column>[number];

const types: ReadonlyMap<string, EntryType> = new Map([
  ["P", "individual"],
  ["person", "individual"],
  ["E", "entity"],
  ["enterprise", "entity"],
]);

const logicalId = /^\d{1,12}$/;

/**
 * The EU's consolidated list. Each name, address, birth and document of an entry has its own row.
 */
export const format: Format = { read: readEuCsv, mebibytesMax: 128 };

function readEuCsv(files: readonly ListFile[], note: Note): ListEntry[] {
  const names = Object.entries(columns).flatMap(([part, some]) =>
    some.map((name) => `${part}_${name}`),
  );
  const byName = Object.fromEntries(names.map((name) => [name, [name]]));
  const table = csvTable(csvRows(onlyFile(files), ";"), byName as Record<Column, [string]>);
  const words = { uidName: "Entity_LogicalId", typeName: "subject type" };
  return entriesOfRows(table, words, note, identify, (draft, row, noteHere) => {
    draft.addProgram(row.cell("Entity_Regulation_Programme"));
    addNames(draft, row);
    draft.addBirths(datesOf(row), noteHere);
    for (const part of ["Address", "BirthDate", "Citizenship"] as const) {
      const code = country(row, part);
      if (code !== "") draft.countries.add(code);
    }
    const type = row.cell("Identification_TypeDescription");
    draft.addDocument(type, row.cell("Identification_Number"), country(row, "Identification"));
  });
}

function identify(row: Row) {
  const uid = row.cell("Entity_LogicalId");
  if (!logicalId.test(uid)) throw new Unreadable("has no Entity_LogicalId");
  const written = row.cell("Entity_SubjectType");
  const type = types.get(row.cell("Entity_SubjectType_ClassificationCode")) ?? types.get(written);
  if (type === undefined) throw new Unreadable(`Entity_SubjectType ${written} is not known`);
  return { uid, type };
}

/** Adds the names of an entry. The first is the primary one. A remark marks a weak name. */
function addNames(draft: EntryDraft, row: Row): void {
  const parts = [
    row.cell("NameAlias_FirstName"),
    row.cell("NameAlias_MiddleName"),
    row.cell("NameAlias_LastName"),
  ].join(" ");
  const weak = /low quality|weak/i.test(row.cell("NameAlias_Remark"));
  const kind = draft.names.size === 0 ? "primary" : weak ? "weak" : "alias";
  draft.addName(row.cell("NameAlias_WholeName") || parts, kind);
}

/** The EU's code `00` and its description `UNKNOWN` are not countries. */
function country(row: Row, part: Exclude<Part, "Entity" | "NameAlias">): string {
  const code = row.cell(`${part}_CountryIso2Code`);
  if (/^[A-Z]{2}$/.test(code)) return code;
  return countryCode(row.cell(`${part}_CountryDescription`)) ?? "";
}

/**
 * Returns the birth dates of a row: none for a row without a birth, `undefined` for an unreadable
 * birth.
 */
function datesOf(row: Row): string[] | undefined {
  const whole = row.cell("BirthDate_BirthDate");
  const [from, to] = [row.cell("BirthDate_YearRangeFrom"), row.cell("BirthDate_YearRangeTo")];
  const year = row.cell("BirthDate_Year");
  if (whole === "" && year === "" && from === "" && to === "") return [];
  if (!/^(?:gregorian)?$/i.test(row.cell("BirthDate_CalendarType"))) return undefined;
  if (whole === "" && year === "") return yearSpan(from || to, to || from);
  const [, inYear = year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(whole) ?? [];
  const circa = row.cell("BirthDate_Circa").toLowerCase() === "true";
  const date = circa
    ? partialDate(inYear, "", "")
    : partialDate(inYear, month ?? row.cell("BirthDate_Month"), day ?? row.cell("BirthDate_Day"));
  return date === undefined ? undefined : [date];
}
