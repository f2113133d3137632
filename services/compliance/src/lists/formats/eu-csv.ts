import type { EntryType } from "@disburse/name-matcher/entry.ts";
import type { ListEntry } from "../rules/entry.ts";
import { countryCode } from "./country-code.ts";
import { type CsvTable, csvRows, csvTable } from "./csv-rows.ts";
import {
  addBirths,
  addDocument,
  addName,
  builtEntry,
  type EntryDraft,
  entryDraft,
} from "./entry-draft.ts";
import {
  atPlace,
  type Format,
  type ListFile,
  mebibyte,
  type Note,
  onlyFile,
  Unreadable,
} from "./file-bytes.ts";
import { partialDate, yearSpan } from "./listed-date.ts";

/** Of the 118 columns of the EU's financial sanctions file 1.1, those that are compared. */
const columns = [
  "Entity_LogicalId",
  "Entity_SubjectType",
  "Entity_SubjectType_ClassificationCode",
  "Entity_Regulation_Programme",
  "NameAlias_LastName",
  "NameAlias_FirstName",
  "NameAlias_MiddleName",
  "NameAlias_WholeName",
  "NameAlias_Remark",
  "Address_CountryIso2Code",
  "Address_CountryDescription",
  "BirthDate_BirthDate",
  "BirthDate_Day",
  "BirthDate_Month",
  "BirthDate_Year",
  "BirthDate_YearRangeFrom",
  "BirthDate_YearRangeTo",
  "BirthDate_Circa",
  "BirthDate_CalendarType",
  "BirthDate_CountryIso2Code",
  "BirthDate_CountryDescription",
  "Identification_Number",
  "Identification_TypeDescription",
  "Identification_CountryIso2Code",
  "Identification_CountryDescription",
  "Citizenship_CountryIso2Code",
  "Citizenship_CountryDescription",
] as const;
type Column = (typeof columns)[number];
type Row = CsvTable<Column>[number];

const types: ReadonlyMap<string, EntryType> = new Map([
  ["P", "individual"],
  ["person", "individual"],
  ["E", "entity"],
  ["enterprise", "entity"],
]);

const logicalId = /^\d{1,12}$/;

/** The EU's consolidated list: a row for each name, address, birth and document of an entry. */
export const format: Format = { read: readEuCsv, bytesMax: 128 * mebibyte };

function readEuCsv(files: readonly ListFile[], note: Note): ListEntry[] {
  const byName = Object.fromEntries(columns.map((name) => [name, [name]]));
  const table = csvTable(csvRows(onlyFile(files), ";"), byName as Record<Column, [string]>);
  const drafts = new Map<string, EntryDraft>();
  for (const row of table) {
    atPlace(`line ${row.line}`, () => {
      const draft = draftOf(row, drafts);
      addNames(draft, row);
      addBirths(draft, datesOf(row), (text) => note(`line ${row.line}: ${text}`));
      for (const part of ["Address", "BirthDate", "Citizenship"] as const) {
        const code = country(row, part);
        if (code !== "") draft.countries.add(code);
      }
      const type = row.cell("Identification_TypeDescription");
      const number = row.cell("Identification_Number");
      addDocument(draft, type, number, country(row, "Identification"));
    });
  }
  if (drafts.size === 0) throw new Unreadable("list: must have at least one entry");
  return [...drafts.values()].map((draft) =>
    atPlace(`Entity_LogicalId ${draft.uid}`, () => builtEntry(draft)),
  );
}

function draftOf(row: Row, drafts: Map<string, EntryDraft>): EntryDraft {
  const uid = row.cell("Entity_LogicalId");
  if (!logicalId.test(uid)) throw new Unreadable("has no Entity_LogicalId");
  const written = row.cell("Entity_SubjectType");
  const type = types.get(row.cell("Entity_SubjectType_ClassificationCode")) ?? types.get(written);
  if (type === undefined) throw new Unreadable(`Entity_SubjectType ${written} is not known`);
  const known = drafts.get(uid);
  const draft = known ?? entryDraft(uid, type);
  if (draft.type !== type) throw new Unreadable(`Entity_LogicalId ${uid} has two subject types`);
  if (known === undefined) drafts.set(uid, draft);
  const program = row.cell("Entity_Regulation_Programme");
  if (program !== "") draft.programs.add(program);
  return draft;
}

/** The first name of an entry is its primary one; which is weak stands in a remark. */
function addNames(draft: EntryDraft, row: Row): void {
  const parts = [
    row.cell("NameAlias_FirstName"),
    row.cell("NameAlias_MiddleName"),
    row.cell("NameAlias_LastName"),
  ].join(" ");
  const weak = /low quality|weak/i.test(row.cell("NameAlias_Remark"));
  const kind = draft.names.size === 0 ? "primary" : weak ? "weak" : "alias";
  addName(draft, row.cell("NameAlias_WholeName") || parts, kind);
}

type Part = "Address" | "BirthDate" | "Citizenship" | "Identification";

/** The EU's code `00` and its description `UNKNOWN` are no country. */
function country(row: Row, part: Part): string {
  const code = row.cell(`${part}_CountryIso2Code`);
  if (/^[A-Z]{2}$/.test(code)) return code;
  return countryCode(row.cell(`${part}_CountryDescription`)) ?? "";
}

/** None where the row has no birth; `undefined` where it cannot be read. */
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
