import type { EntryType, ListedName, NameKind } from "@disburse/name-matcher/entry.ts";
import type { ListEntry, ListedDocument, ListedWallet } from "../rules/entry.ts";
import { countryCode } from "./country-code.ts";
import { atPlace, type Note, Unreadable } from "./file-bytes.ts";

/** The maximum length of a text. The longest text in the lists of 2026 has 245 characters. */
const textLengthMax = 1_000;
const strength: readonly NameKind[] = ["weak", "alias", "primary"];

/** Builds an entry from several rows or files. A repeated part is added only once. */
export type EntryDraft = Readonly<ReturnType<typeof entryDraft>>;

export function entryDraft(uid: string, type: EntryType) {
  const names = new Map<string, ListedName>();
  const births = new Set<string>();
  const countries = new Set<string>();
  const documents = new Map<string, ListedDocument>();
  const wallets = new Map<string, ListedWallet>();
  const programs = new Set<string>();
  return {
    uid,
    type,
    names,
    births,
    countries,
    wallets,

    /** Ignores an empty name. A repeated name keeps its best kind. */
    addName: (text: string, kind: NameKind): void => {
      const name = normalizedText(text);
      if (name === "") return;
      const known = names.get(name);
      if (known !== undefined && strength.indexOf(known.kind) >= strength.indexOf(kind)) return;
      names.set(name, { name, kind });
    },
    /** Ignores a text that is not a current country. */
    addCountry: (name: string): void => {
      const code = countryCode(name);
      if (code !== undefined) countries.add(code);
    },
    /** Notes dates that could not be read. */
    addBirths: (dates: string[] | undefined, note: Note): void => {
      if (dates === undefined) note("a date of birth has an unknown format");
      for (const date of dates ?? []) births.add(date);
    },
    /** Ignores a document without a number. */
    addDocument: (type: string, text: string, country: string): void => {
      const number = normalizedText(text);
      if (number === "") return;
      const document = { type: normalizedText(type), number, country };
      documents.set(JSON.stringify(document), document);
    },
    addProgram: (program: string): void => {
      if (program !== "") programs.add(program);
    },
    /** Builds the entry, with its primary name first. */
    built: (): ListEntry => {
      if (names.size === 0) throw new Unreadable("has no name");
      return {
        uid,
        source: "",
        type,
        names: [...names.values()].sort(primaryFirst),
        births: [...births],
        countries: [...countries],
        documents: [...documents.values()],
        wallets: [...wallets.values()],
        programs: [...programs],
      };
    },
  };
}

/** Compares names for sorting: the primary name of an entry comes first. */
export function primaryFirst(a: ListedName, b: ListedName): number {
  return Number(b.kind === "primary") - Number(a.kind === "primary");
}

/** Trims the text and replaces each run of white space with one space. */
function normalizedText(text: string): string {
  const tidy = text.replace(/\s+/g, " ").trim();
  if (tidy.length > textLengthMax) {
    throw new Unreadable(`has a text of more than ${textLengthMax} characters`);
  }
  return tidy;
}

/**
 * Reads a table in which an entry has several rows. `identify` returns the entry of a row, and
 * `fill` adds the row's data to that entry. `uidName` and `typeName` are the column names that
 * problems and notes mention.
 */
export function entriesOfRows<Row extends { readonly line: number }>(
  rows: readonly Row[],
  { uidName, typeName }: { readonly uidName: string; readonly typeName: string },
  note: Note,
  identify: (row: Row) => { readonly uid: string; readonly type: EntryType },
  fill: (draft: EntryDraft, row: Row, note: Note) => void,
): ListEntry[] {
  const drafts = new Map<string, EntryDraft>();
  for (const row of rows) {
    atPlace(`line ${row.line}`, () => {
      const { uid, type } = identify(row);
      const draft = drafts.get(uid) ?? entryDraft(uid, type);
      if (draft.type !== type) throw new Unreadable(`${uidName} ${uid} has two ${typeName}s`);
      drafts.set(uid, draft);
      fill(draft, row, (text) => note(`line ${row.line}: ${text}`));
    });
  }
  if (drafts.size === 0) throw new Unreadable("list: must have at least one entry");
  return [...drafts.values()].map((draft) => atPlace(`${uidName} ${draft.uid}`, draft.built));
}
