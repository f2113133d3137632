import type { EntryType, NameKind } from "@disburse/name-matcher/entry.ts";
import type { ListEntry } from "../rules/entry.ts";
import { countryCode } from "./country-code.ts";
import { addDocument, addName, builtEntry, type EntryDraft, entryDraft } from "./entry-draft.ts";
import { atPlace, type ListFile, type Note, onlyFile, Unreadable } from "./file-bytes.ts";
import { datesInWords, partialDate, yearSpan } from "./listed-date.ts";
import { elementsIn, parsedXml, textIn, type XmlElement } from "./xml-elements.ts";

const entryTypes: ReadonlyMap<string, EntryType> = new Map([
  ["INDIVIDUAL", "individual"],
  ["ENTITY", "entity"],
]);

const sections: ReadonlySet<string> = new Set(["INDIVIDUALS", "ENTITIES"]);
const uidText = /^[\x21-\x7e]{1,128}$/;

/** The Security Council's consolidated list. An entry's uid is its permanent reference number. */
export function readUnXml(files: readonly ListFile[], note: Note): ListEntry[] {
  const root = parsedXml(onlyFile(files));
  if (root.name !== "CONSOLIDATED_LIST") {
    throw new Unreadable("line 1: is not the Security Council's list");
  }
  const entries = new Map<string, ListEntry>();
  for (const section of elementsIn(root)) {
    if (!sections.has(section.name)) throw new Unreadable(`${section.name} is not known`);
    for (const element of elementsIn(section)) {
      const type = entryTypes.get(element.name);
      if (type === undefined) throw new Unreadable(`${element.name} is not known`);
      const dataId = `DATAID ${textIn(element, "DATAID") || "none"}`;
      const entry = atPlace(dataId, () => entryOf(element, type, note));
      if (entries.has(entry.uid)) throw new Unreadable(`${dataId}: ${entry.uid} stands twice`);
      entries.set(entry.uid, entry);
    }
  }
  if (entries.size === 0) throw new Unreadable("list: must have at least one entry");
  return [...entries.values()];
}

function entryOf(element: XmlElement, type: EntryType, note: Note): ListEntry {
  const uid = textIn(element, "REFERENCE_NUMBER");
  if (!uidText.test(uid)) throw new Unreadable("has no REFERENCE_NUMBER");
  const draft = entryDraft(uid, type);
  const whole = ["FIRST_NAME", "SECOND_NAME", "THIRD_NAME", "FOURTH_NAME"]
    .map((part) => textIn(element, part))
    .join(" ");
  for (const [at, name] of whole.split(";").entries()) {
    addName(draft, name, at === 0 ? "primary" : "alias");
  }
  if (draft.names.size === 0) throw new Unreadable("has no name");
  addName(draft, textIn(element, "NAME_ORIGINAL_SCRIPT"), "alias");
  const program = textIn(element, "UN_LIST_TYPE");
  if (program !== "") draft.programs.add(program);
  for (const part of elementsIn(element)) readPart(draft, part, (text) => note(`${uid}: ${text}`));
  return builtEntry(draft);
}

/** What stands several times in an entry. */
function readPart(draft: EntryDraft, part: XmlElement, note: Note): void {
  switch (part.name) {
    case "INDIVIDUAL_ALIAS":
    case "ENTITY_ALIAS":
      readAlias(draft, part, note);
      break;
    case "NATIONALITY":
      for (const value of elementsIn(part)) addCountry(draft, value.text.trim());
      break;
    case "INDIVIDUAL_ADDRESS":
    case "ENTITY_ADDRESS":
    case "INDIVIDUAL_PLACE_OF_BIRTH":
      addCountry(draft, textIn(part, "COUNTRY"));
      break;
    case "INDIVIDUAL_DATE_OF_BIRTH":
      addBirth(draft, part, note);
      break;
    case "INDIVIDUAL_DOCUMENT":
      readDocument(draft, part);
      break;
    default:
      // Comments, designations, dates of the list itself: nothing to compare.
      break;
  }
}

function readDocument(draft: EntryDraft, part: XmlElement): void {
  const issuer = textIn(part, "ISSUING_COUNTRY") || textIn(part, "COUNTRY_OF_ISSUE");
  const type = textIn(part, "TYPE_OF_DOCUMENT") || textIn(part, "TYPE_OF_DOCUMENT2");
  for (const number of numbersIn(textIn(part, "NUMBER"))) {
    addDocument(draft, type, number, countryCode(issuer) ?? "");
  }
}

const numberInWords = /[\p{L}\p{N}/-]*\d{3}[\p{L}\p{N}/-]*/gu;

/** A number as it is written, and those of a text about it (`passport no. D00000898`). */
function numbersIn(text: string): string[] {
  return [text, ...(text.includes(" ") ? (text.match(numberInWords) ?? []) : [])];
}

function addCountry({ countries }: EntryDraft, name: string): void {
  const code = countryCode(name);
  if (code !== undefined) countries.add(code);
}

function readAlias(draft: EntryDraft, part: XmlElement, note: Note): void {
  const kind: NameKind = textIn(part, "QUALITY").toLowerCase() === "low" ? "weak" : "alias";
  for (const name of namesIn(textIn(part, "ALIAS_NAME"))) addName(draft, name, kind);
  addCountry(draft, textIn(part, "COUNTRY_OF_BIRTH"));
  addDate(draft, textIn(part, "DATE_OF_BIRTH"), note);
}

const bornOn = /,\s+born\s.*$/su;

/**
 * `A; B; C` are three names, and so are `A (B; C)`; a name in quotation marks is one without, and
 * when somebody of the name was born is no part of it.
 */
function namesIn(text: string): string[] {
  const alias = text.replace(bornOn, "");
  const names = alias.includes(";") ? alias.split(/[;()]|\b[a-z]\) /) : [alias];
  return names
    .map((name) => name.trim().replace(/^["“”](.*)["“”]$/, "$1"))
    .filter((name) => !/^original script$/i.test(name));
}

function addBirth(draft: EntryDraft, part: XmlElement, note: Note): void {
  const span = yearSpan(textIn(part, "FROM_YEAR"), textIn(part, "TO_YEAR"));
  for (const year of span ?? []) draft.births.add(year);
  const date = textIn(part, "DATE") || textIn(part, "YEAR");
  const inWords = textIn(part, "NOTE").replace(/\.$/, "");
  if (date !== "") addDate(draft, date, note);
  else if (span === undefined && inWords !== "") addDate(draft, inWords, note);
}

function addDate({ births }: EntryDraft, text: string, note: Note): void {
  if (text === "") return;
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  const date = partialDate(year, month, day);
  const dates = date === undefined ? datesInWords(text) : [date];
  if (dates === undefined) note("a date of birth is not understood");
  for (const each of dates ?? []) births.add(each);
}
