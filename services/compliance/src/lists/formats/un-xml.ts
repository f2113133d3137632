import type { EntryType, NameKind } from "@disburse/name-matcher/entry.ts";
import { parseXml, XmlElement, XmlError } from "@rgrove/parse-xml";
import type { ListEntry } from "../rules/entry.ts";
import { countryCode } from "./country-code.ts";
import { type EntryDraft, entryDraft } from "./entry-draft.ts";
import {
  atPlace,
  type Format,
  fileText,
  type ListFile,
  type Note,
  onlyFile,
  Unreadable,
} from "./file-bytes.ts";
import { datesInWords, partialDate, yearSpan } from "./listed-date.ts";

const entryTypes: ReadonlyMap<string, EntryType> = new Map([
  ["INDIVIDUAL", "individual"],
  ["ENTITY", "entity"],
]);

const sections: ReadonlySet<string> = new Set(["INDIVIDUALS", "ENTITIES"]);
const uidText = /^[\x21-\x7e]{1,128}$/;

/** The Security Council's consolidated list. An entry's uid is its permanent reference number. */
export const format: Format = { read: readUnXml, mebibytesMax: 64 };

function readUnXml(files: readonly ListFile[], note: Note): ListEntry[] {
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
      if (entries.has(entry.uid)) throw new Unreadable(`${dataId}: ${entry.uid} occurs twice`);
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
    draft.addName(name, at === 0 ? "primary" : "alias");
  }
  if (draft.names.size === 0) throw new Unreadable("has no name");
  draft.addName(textIn(element, "NAME_ORIGINAL_SCRIPT"), "alias");
  draft.addProgram(textIn(element, "UN_LIST_TYPE"));
  for (const part of elementsIn(element)) readPart(draft, part, (text) => note(`${uid}: ${text}`));
  return draft.built();
}

/** Reads elements that may repeat within an entry. */
function readPart(draft: EntryDraft, part: XmlElement, note: Note): void {
  switch (part.name) {
    case "INDIVIDUAL_ALIAS":
    case "ENTITY_ALIAS":
      readAlias(draft, part, note);
      break;
    case "NATIONALITY":
      for (const value of elementsIn(part)) draft.addCountry(value.text.trim());
      break;
    case "INDIVIDUAL_ADDRESS":
    case "ENTITY_ADDRESS":
    case "INDIVIDUAL_PLACE_OF_BIRTH":
      draft.addCountry(textIn(part, "COUNTRY"));
      break;
    case "INDIVIDUAL_DATE_OF_BIRTH":
      addBirth(draft, part, note);
      break;
    case "INDIVIDUAL_DOCUMENT":
      readDocument(draft, part);
      break;
    default:
      // Other elements, such as comments, designations and dates of the list, are not compared.
      break;
  }
}

function readDocument(draft: EntryDraft, part: XmlElement): void {
  const issuer = textIn(part, "ISSUING_COUNTRY") || textIn(part, "COUNTRY_OF_ISSUE");
  const type = textIn(part, "TYPE_OF_DOCUMENT") || textIn(part, "TYPE_OF_DOCUMENT2");
  for (const number of numbersIn(textIn(part, "NUMBER"))) {
    draft.addDocument(type, number, countryCode(issuer) ?? "");
  }
}

const numberInWords = /[\p{L}\p{N}/-]*\d{3}[\p{L}\p{N}/-]*/gu;

/** Returns a number as written, and numbers within a text (`passport no. D00000898`). */
function numbersIn(text: string): string[] {
  return [text, ...(text.includes(" ") ? (text.match(numberInWords) ?? []) : [])];
}

function readAlias(draft: EntryDraft, part: XmlElement, note: Note): void {
  const kind: NameKind = textIn(part, "QUALITY").toLowerCase() === "low" ? "weak" : "alias";
  for (const name of namesIn(textIn(part, "ALIAS_NAME"))) draft.addName(name, kind);
  draft.addCountry(textIn(part, "COUNTRY_OF_BIRTH"));
  addDate(draft, textIn(part, "DATE_OF_BIRTH"), note);
}

const bornOn = /,\s+born\s.*$/su;

/**
 * Splits a text into names. `A; B; C` and `A (B; C)` both contain three. Quotation marks and birth
 * dates are removed.
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

function addDate(draft: EntryDraft, text: string, note: Note): void {
  if (text === "") return;
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  const date = partialDate(year, month, day);
  draft.addBirths(date === undefined ? datesInWords(text) : [date], note);
}

/**
 * The maximum depth of elements. The list has five levels. A limit is required, because the parser
 * is recursive.
 */
const depthMax = 64;

/**
 * Parses an XML file and returns its root. Refuses a file with a document type before parsing,
 * because it could declare entities. No list needs a document type.
 */
export function parsedXml(file: ListFile): XmlElement {
  const text = fileText(file);
  const declaration = text.search(/<!(?:DOCTYPE|ENTITY)/i);
  if (declaration >= 0) {
    throw new Unreadable(`line ${lineOf(text, declaration)}: declares a document type or entities`);
  }
  checkDepth(text);
  try {
    const { root } = parseXml(text);
    if (root === null) throw new Unreadable("line 1: has no element");
    return root;
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    const problem = error.message.split(" (line")[0] ?? "";
    throw new Unreadable(`line ${error.line}: is not XML: ${problem}`, { cause: error });
  }
}

function lineOf(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}

/** Constructs that may contain tag-like text, with their start and end. */
const notTags = [
  ["<!--", "-->"],
  ["<![CDATA[", "]]>"],
  ["<?", "?>"],
] as const;

function checkDepth(text: string): void {
  let depth = 0;
  for (let at = text.indexOf("<"); at >= 0; ) {
    const other = notTags.find(([start]) => text.startsWith(start, at));
    const end =
      other === undefined ? tagEnd(text, at) : text.indexOf(other[1], at + other[0].length);
    // The rest needs no check, because the parser fails at the unclosed construct.
    if (end < 0) return;
    if (other === undefined) depth += levelsOf(text, at, end);
    if (depth > depthMax) {
      throw new Unreadable(`line ${lineOf(text, at)}: is more than ${depthMax} levels deep`);
    }
    at = text.indexOf("<", end);
  }
}

/** Finds the `>` of a tag, or -1. Quoted values may contain `>` too. */
function tagEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === ">") return at;
    if (sign !== '"' && sign !== "'") continue;
    at = text.indexOf(sign, at + 1);
    if (at < 0) return at;
  }
  return -1;
}

/** Returns the change of depth that a tag causes. */
function levelsOf(text: string, start: number, end: number): number {
  if (text[start + 1] === "/") return -1;
  return text[end - 1] === "/" ? 0 : 1;
}

/** Returns the direct child elements. */
export function elementsIn({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => child instanceof XmlElement);
}

/** Returns the text of the first child element of a name in one line, or "". */
export function textIn(element: XmlElement, name: string): string {
  const found = elementsIn(element).find((child) => child.name === name);
  return found?.text.replace(/\s+/g, " ").trim() ?? "";
}
