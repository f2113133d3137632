import {
  type EntryType,
  entryTypes,
  type ListedName,
  type NameKind,
} from "@disburse/name-matcher/entry.ts";
import type { ListEntry, ListedDocument, ListedWallet } from "../rules/entry.ts";
import { primaryFirst } from "./entry-draft.ts";
import { atPlace, type Format, type ListFile, onlyFile, Unreadable } from "./file-bytes.ts";

/** The maximum length of a line, more than ten times the longest line of 2026. */
const lineBytesMax = 1_048_576;
/**
 * The maximum number of entries, some fifty times those of all public lists together. More would
 * not fit in memory.
 */
const entriesMax = 1_000_000;

const newline = 0x0a;

/** The format of the query set's index and of an operator's own lists: one entry per line. */
export const format: Format = { read: readJsonLines, mebibytesMax: 512 };

function readJsonLines(files: readonly ListFile[]): ListEntry[] {
  const { bytes } = onlyFile(files);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const entries = new Map<string, ListEntry>();
  for (let start = 0, line = 1; start < bytes.length; line += 1) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found;
    const written = bytes.subarray(start, end);
    atPlace(`line ${line}`, () => {
      const text = lineText(decoder, written);
      if (text.trim() !== "") addEntry(entries, text);
    });
    start = end + 1;
  }
  if (entries.size === 0) throw new Unreadable("lines: must have at least one entry");
  return [...entries.values()];
}

function lineText(decoder: TextDecoder, bytes: Uint8Array): string {
  if (bytes.length > lineBytesMax) {
    throw new Unreadable(`is longer than ${lineBytesMax} bytes`);
  }
  try {
    return decoder.decode(bytes);
  } catch (error) {
    throw new Unreadable("is not UTF-8", { cause: error });
  }
}

function addEntry(entries: Map<string, ListEntry>, text: string): void {
  const entry = parseListLine(text);
  if ("problem" in entry) throw new Unreadable(entry.problem);
  if (entries.has(entry.uid)) throw new Unreadable(`uid ${entry.uid} occurs twice`);
  if (entries.size === entriesMax) throw new Unreadable(`is more than ${entriesMax} entries`);
  entries.set(entry.uid, entry);
}

/** A problem of a line, for the operator. */
export type LineProblem = { readonly problem: string };

/** Publishers' kinds of names. All kinds except weak are searched equally. */
const nameKinds: ReadonlyMap<string, NameKind> = new Map([
  ["primary", "primary"],
  ["alias", "alias"],
  ["former", "alias"],
  ["original_script", "alias"],
  ["weak", "weak"],
  ["weak_alias", "weak"],
]);

/** The maximum items of an array. The most names of one entry in the lists of 2026 are 121. */
const itemsMax = 2_000;
/** The maximum length of a text. The longest text in the lists of 2026 has 245 characters. */
const textLengthMax = 1_000;
const uidText = /^[\x21-\x7e]{1,128}$/;
const dateText = /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/;
const countryText = /^[A-Z]{2}$/;

type Fields = Readonly<Record<string, unknown>>;

function fields(value: unknown, at: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Unreadable(`${at} must be an object`);
  }
  return value as Fields;
}

function text(value: unknown, at: string): string {
  if (typeof value !== "string" || value.length > textLengthMax || !value.isWellFormed()) {
    throw new Unreadable(`${at} must be a text of at most ${textLengthMax} characters`);
  }
  return value;
}

/** Some publishers omit an empty text or write it as null. */
function textOrNone(value: unknown, at: string): string {
  return value === undefined || value === null ? "" : text(value, at);
}

function matching(value: unknown, form: RegExp, at: string, what: string): string {
  const written = text(value, at);
  if (!form.test(written)) throw new Unreadable(`${at} must be ${what}`);
  return written;
}

/** Reads an array; an omitted one is empty. */
function items<T>(value: unknown, at: string, read: (item: unknown, at: string) => T): T[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > itemsMax) {
    throw new Unreadable(`${at} must be an array of at most ${itemsMax}`);
  }
  return value.map((item, index) => read(item, `${at}[${index}]`));
}

function listedName(value: unknown, at: string): ListedName {
  const { name, kind } = fields(value, at);
  const known = nameKinds.get(textOrNone(kind, `${at}.kind`) || "alias");
  if (known === undefined) {
    throw new Unreadable(`${at}.kind must be one of ${[...nameKinds.keys()].join(", ")}`);
  }
  const written = text(name, `${at}.name`).trim();
  if (written === "") throw new Unreadable(`${at}.name must not be empty`);
  return { name: written, kind: known };
}

function listedDocument(value: unknown, at: string): ListedDocument {
  const { type, number, country } = fields(value, at);
  return {
    type: textOrNone(type, `${at}.type`),
    number: text(number, `${at}.number`),
    country: textOrNone(country, `${at}.country`),
  };
}

function listedWallet(value: unknown, at: string): ListedWallet {
  const { currency, address } = fields(value, at);
  const written = text(address, `${at}.address`).trim();
  if (written === "") throw new Unreadable(`${at}.address must not be empty`);
  return { currency: textOrNone(currency, `${at}.currency`), address: written };
}

function entryOf(value: unknown): ListEntry {
  const line = fields(value, "line");
  const type = entryTypes.find((known) => known === line.type);
  if (type === undefined) throw new Unreadable(`type must be one of ${entryTypes.join(", ")}`);
  const names = items(line.names, "names", listedName).sort(primaryFirst);
  if (names.length === 0) throw new Unreadable("names must have at least one name");
  return {
    uid: matching(line.uid, uidText, "uid", "1 to 128 printable characters without spaces"),
    source: textOrNone(line.list, "list"),
    type: type satisfies EntryType,
    names,
    births: items(line.dob, "dob", (each, at) => matching(each, dateText, at, "a date or a year")),
    countries: items(line.countries, "countries", (each, at) =>
      matching(each, countryText, at, "an ISO 3166 alpha-2 code"),
    ),
    documents: items(line.ids, "ids", listedDocument),
    wallets: items(line.crypto, "crypto", listedWallet),
    programs: items(line.programs, "programs", text),
  };
}

/** Parses one line of a list, or returns its problem. Unknown fields are ignored. */
export function parseListLine(line: string): ListEntry | LineProblem {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "is not JSON" };
  }
  try {
    return entryOf(value);
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}
