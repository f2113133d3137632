import { availableParallelism } from "node:os";
import type { EntryType } from "./domain/list-entry.ts";
import type { ScreeningRequest } from "./domain/screening.ts";
import type { PackedList } from "./index-build.ts";
import { hasWalletLine, isPersonLine } from "./list-chunks.ts";

/**
 * What one thread of an index holds: everything, or the persons and all wallets, or everybody else.
 * A person is compared with persons only, so nothing is found in the wrong part.
 */
export type IndexPart = "all" | "persons" | "others";

/** Whether the names of entries of this type are in a part, and so what is compared with them. */
export function hasNames(part: IndexPart, type: EntryType): boolean {
  return part === "all" || (part === "persons") === (type === "individual");
}

/** Companies have the longer names, so wallets are with the persons. */
export function hasWallets(part: IndexPart): boolean {
  return part !== "others";
}

/** Whether a part needs the entry of a chunk's line. */
export function needsLine(part: IndexPart, line: string): boolean {
  if (part === "all") return true;
  const isPerson = isPersonLine(line);
  return part === "others" ? !isPerson : isPerson || hasWalletLine(line);
}

/** The places of the parties and wallets of a request that a part is asked about. */
export function placesOf({ parties, wallets }: ScreeningRequest, part: IndexPart): number[] {
  const named = [...parties.keys()].filter((at) => {
    const party = parties[at];
    return party !== undefined && hasNames(part, party.type);
  });
  if (!hasWallets(part)) return named;
  return [...named, ...Array.from(wallets.keys(), (at) => parties.length + at)];
}

/**
 * A thread takes 17 MB and 0.1 s before it has read anything, so a second one has to save more than
 * that: lists of this size take a third of a second, all public ones together are 1.7 MB.
 */
const halvedBytesMin = 524_288;

/** Two parts where lists are long and two threads run at once; else one. */
export function partsFor(
  packed: readonly PackedList[],
  cores = availableParallelism(),
): readonly IndexPart[] {
  const sizes = packed.flatMap(({ chunks }) => chunks.map(({ bytes }) => bytes.length));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return cores > 1 && bytes >= halvedBytesMin ? ["persons", "others"] : ["all"];
}
