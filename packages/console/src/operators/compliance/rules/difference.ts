import type {
  EntryDifference,
  ListedEntry,
} from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";

const joined = (parts: readonly string[]) => parts.filter((part) => part !== "").join(" ");

const texts: Readonly<Record<string, (entry: ListedEntry) => readonly string[]>> = {
  source: ({ source }) => [source],
  type: ({ type }) => [type],
  names: ({ names }) => names.map(({ name, kind }) => (kind === "weak" ? `${name} (weak)` : name)),
  births: ({ births }) => births,
  countries: ({ countries }) => countries,
  documents: ({ documents }) =>
    documents.map(({ type, number, country }) => joined([type, number, country])),
  wallets: ({ wallets }) => wallets.map(({ currency, address }) => joined([currency, address])),
  programs: ({ programs }) => programs,
};

/** A changed field of an entry, with its removed and added values. */
export type FieldChange = {
  readonly field: string;
  readonly gone: readonly string[];
  readonly added: readonly string[];
};

/** Returns the changed fields of an entry. Empty if the whole entry was added or removed. */
export function fieldChanges({ before, after, changedFields }: EntryDifference): FieldChange[] {
  if (before === undefined || after === undefined) return [];
  return changedFields.map((field) => {
    const [old, fresh] = [texts[field]?.(before) ?? [], texts[field]?.(after) ?? []];
    return {
      field,
      gone: old.filter((each) => !fresh.includes(each)),
      added: fresh.filter((each) => !old.includes(each)),
    };
  });
}

/** Returns an entry's primary name, or its first name. */
export function entryTitle({ before, after }: EntryDifference): string {
  const names = (after ?? before)?.names ?? [];
  return (names.find(({ kind }) => kind === "primary") ?? names[0])?.name ?? "";
}
