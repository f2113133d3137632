import type { EntryType, ListedName, NameKind } from "@disburse/name-matcher/entry.ts";
import type { ListEntry, ListedDocument, ListedWallet } from "../rules/entry.ts";
import { countryCode } from "./country-code.ts";
import { type Note, Unreadable } from "./file-bytes.ts";

/** Longer than any listed text (245 in the lists of 2026). */
const textLengthMax = 1_000;

/** An entry whose parts stand in several rows or files. What is added twice is kept once. */
export type EntryDraft = Readonly<ReturnType<typeof entryDraft>>;

/** An empty draft. */
export function entryDraft(uid: string, type: EntryType) {
  return {
    ...{ uid, type },
    names: new Map<string, ListedName>(),
    births: new Set<string>(),
    countries: new Set<string>(),
    documents: new Map<string, ListedDocument>(),
    wallets: new Map<string, ListedWallet>(),
    programs: new Set<string>(),
  };
}

/** One line of text without space around it. */
export function normalizedText(text: string): string {
  const tidy = text.replace(/\s+/g, " ").trim();
  if (tidy.length > textLengthMax) {
    throw new Unreadable(`has a text of more than ${textLengthMax} characters`);
  }
  return tidy;
}

const strength: readonly NameKind[] = ["weak", "alias", "primary"];

/** Adds a name, none where the text is empty; a name that is there already keeps its best kind. */
export function addName({ names }: EntryDraft, text: string, kind: NameKind): void {
  const name = normalizedText(text);
  if (name === "") return;
  const known = names.get(name);
  if (known !== undefined && strength.indexOf(known.kind) >= strength.indexOf(kind)) return;
  names.set(name, { name, kind });
}

/** Adds a country, none where no country has the name today. */
export function addCountry({ countries }: EntryDraft, name: string): void {
  const code = countryCode(name);
  if (code !== undefined) countries.add(code);
}

/** Adds dates of birth; notes dates that could not be read. */
export function addBirths({ births }: EntryDraft, dates: string[] | undefined, note: Note): void {
  if (dates === undefined) note("a date of birth is not understood");
  for (const date of dates ?? []) births.add(date);
}

/** Adds a document, none where its number is empty. */
export function addDocument(
  { documents }: EntryDraft,
  type: string,
  text: string,
  country: string,
): void {
  const number = normalizedText(text);
  if (number === "") return;
  const document = { type: normalizedText(type), number, country };
  documents.set(JSON.stringify(document), document);
}

/** The entry, with its primary name first. */
export function builtEntry(draft: EntryDraft): ListEntry {
  if (draft.names.size === 0) throw new Unreadable("has no name");
  const { uid, type } = draft;
  return {
    ...{ uid, source: "", type },
    names: [...draft.names.values()].sort(
      (a, b) => Number(b.kind === "primary") - Number(a.kind === "primary"),
    ),
    births: [...draft.births],
    countries: [...draft.countries],
    documents: [...draft.documents.values()],
    wallets: [...draft.wallets.values()],
    programs: [...draft.programs],
  };
}
