import type { EntryType } from "@disburse/name-matcher/entry.ts";
import type { ListEntry } from "../rules/entry.ts";
import { type CsvRow, csvRows, hasEndMark, isBlank } from "./csv-rows.ts";
import { type EntryDraft, entryDraft } from "./entry-draft.ts";
import { atPlace, type Format, type ListFile, type Note, Unreadable } from "./file-bytes.ts";
import { joinedRemarks, readRemarks } from "./ofac-remarks.ts";

/**
 * The files of OFAC's legacy CSV format, with their numbers of columns. The `cons_*` files have the
 * same columns.
 */
const columns = { primary: 12, alternates: 5, addresses: 6, comments: 2 } as const;
type FileName = keyof typeof columns;

const types: ReadonlyMap<string, EntryType> = new Map([
  ["", "entity"],
  ["individual", "individual"],
  ["vessel", "vessel"],
  ["aircraft", "aircraft"],
]);

const alternateKinds = new Set(["aka", "fka", "nka"]);
const entityNumber = /^\d{1,10}$/;

type Rows = ReadonlyMap<FileName, readonly CsvRow[]>;

/**
 * OFAC's SDN list or its consolidated list. Each has a primary file, and more files that add to its
 * entries.
 */
export const format: Format = { read: readOfacCsv, gaps: gapsOf, mebibytesMax: 128 };

/**
 * Returns signs of incomplete files. Aliases are in a separate file, which may be missing. OFAC
 * ends each file with an end mark. A file without it was truncated, possibly at a line end so that
 * all its lines are readable.
 */
function gapsOf(files: readonly ListFile[]): string[] {
  const cut = files.filter((file) => !hasEndMark(file)).map(({ name }) => name || "primary");
  const names = new Set(files.map(({ name }) => name));
  return [
    ...(names.has("alternates") ? [] : ["the file alternates, which has the aliases, is missing"]),
    ...files.filter(isBlank).map(({ name }) => `the file ${name} is empty`),
    ...cut.map((name) => `the file ${name} is truncated: it has no end mark (0x1A)`),
  ];
}

function readOfacCsv(files: readonly ListFile[], note: Note): ListEntry[] {
  const rows = rowsByFile(files);
  const comments = rows.has("comments") ? commentsOf(rows) : undefined;
  const drafts = new Map<string, EntryDraft>();
  for (const row of rows.get("primary") ?? []) {
    const draft = atPlace(place("primary", row), () => primaryDraft(row, comments, note));
    if (drafts.has(draft.uid)) {
      throw new Unreadable(`${place("primary", row)}: uid ${draft.uid} occurs twice`);
    }
    drafts.set(draft.uid, draft);
  }
  if (drafts.size === 0) throw new Unreadable("primary: must have at least one entry");
  addRows("alternates", rows, drafts, note, addAlternate);
  addRows("addresses", rows, drafts, note, (draft, row) => draft.addCountry(cell(row, 4)));
  return [...drafts.values()].map((draft) => atPlace(`entry ${draft.uid}`, draft.built));
}

const place = (name: FileName, row: CsvRow): string => `${name} line ${row.line}`;

function rowsByFile(files: readonly ListFile[]): Rows {
  const rows = new Map<FileName, readonly CsvRow[]>();
  for (const file of files) {
    const known = file.name === "" ? "primary" : file.name;
    if (!isFileName(known)) {
      throw new Unreadable(`files: ${known} must be one of ${Object.keys(columns).join(", ")}`);
    }
    if (rows.has(known)) throw new Unreadable(`files: ${known} occurs twice`);
    rows.set(known, fileRows(known, file));
  }
  if (!rows.has("primary")) throw new Unreadable("files: primary is missing");
  return rows;
}

function isFileName(name: string): name is FileName {
  return Object.hasOwn(columns, name);
}

function fileRows(name: FileName, file: ListFile): readonly CsvRow[] {
  const rows = atPlace(name, () => csvRows(file, ","));
  const wrong = rows.find(({ cells }) => cells.length !== columns[name]);
  if (wrong !== undefined) {
    const counts = `${wrong.cells.length} columns, not ${columns[name]}`;
    throw new Unreadable(`${place(name, wrong)}: has ${counts}`);
  }
  return rows;
}

/** Reads a cell; OFAC writes null as `-0-`. */
function cell({ cells }: CsvRow, at: number): string {
  const text = cells[at]?.trim() ?? "";
  return text === "-0-" ? "" : text;
}

function uidOf(row: CsvRow): string {
  const uid = cell(row, 0);
  if (!entityNumber.test(uid)) throw new Unreadable("must begin with the number of an entity");
  return uid;
}

function commentsOf(rows: Rows): ReadonlyMap<string, string> {
  const comments = new Map<string, string>();
  for (const row of rows.get("comments") ?? []) {
    const uid = atPlace(place("comments", row), () => uidOf(row));
    // Not trimmed, because the text continues the remarks exactly where OFAC cut them, which may be
    // at a space.
    comments.set(uid, (comments.get(uid) ?? "") + (row.cells[1] ?? ""));
  }
  return comments;
}

function primaryDraft(
  row: CsvRow,
  comments: ReadonlyMap<string, string> | undefined,
  note: Note,
): EntryDraft {
  const uid = uidOf(row);
  const type = types.get(cell(row, 2));
  if (type === undefined) throw new Unreadable(`type ${cell(row, 2).slice(0, 40)} is not known`);
  const draft = entryDraft(uid, type);
  draft.addName(cell(row, 1), "primary");
  if (draft.names.size === 0) throw new Unreadable("has no name");
  for (const program of cell(row, 3).split(/\]\s*\[/)) {
    draft.addProgram(program.replace(/[[\]]/g, "").trim());
  }
  draft.addDocument("Call Sign", cell(row, 5), "");
  draft.addCountry(cell(row, 9));
  // Not trimmed, because cut remarks are recognised by their length.
  const noteHere: Note = (text) => note(`${place("primary", row)}: ${text}`);
  const remarks = joinedRemarks(row.cells[11] ?? "", comments, uid, noteHere);
  readRemarks(draft, remarks, noteHere);
  return draft;
}

function addAlternate(draft: EntryDraft, row: CsvRow): void {
  const kind = cell(row, 2);
  if (!alternateKinds.has(kind)) throw new Unreadable("must be one of aka, fka, nka");
  if (cell(row, 3) === "") throw new Unreadable("has no name");
  draft.addName(cell(row, 3), "alias");
}

/**
 * Adds the rows of a file to their entries. A row without an entry gives a note, not a refusal.
 * OFAC replaces its files one after the other, so one may already belong to the next version.
 */
function addRows(
  name: FileName,
  rows: Rows,
  drafts: ReadonlyMap<string, EntryDraft>,
  note: Note,
  add: (draft: EntryDraft, row: CsvRow) => void,
): void {
  const unmatched = new Set<string>();
  for (const row of rows.get(name) ?? []) {
    atPlace(place(name, row), () => {
      const uid = uidOf(row);
      const draft = drafts.get(uid);
      if (draft === undefined) unmatched.add(uid);
      else add(draft, row);
    });
  }
  if (unmatched.size > 0) note(`${name}: ${unmatched.size} entries are not in the file primary`);
}
