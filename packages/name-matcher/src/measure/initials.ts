import type { ListedEntry, Query } from "./query-set.ts";

/** A person's name in its parts: two given names, or a given name and a patronymic. */
type FullName = { readonly family: string; readonly first: string; readonly second: string };

const forms: readonly (readonly [kind: string, write: (name: FullName) => string])[] = [
  ["s_family", ({ family, first }) => `${first.charAt(0)}. ${family}`],
  ["sp_family", (name) => `${letters(name, ".")} ${name.family}`],
  ["family_sp", (name) => `${name.family} ${letters(name, ".")}`],
  ["joined", (name) => `${letters(name, "")} ${name.family}`],
];

const letters = ({ first, second }: FullName, dot: string): string =>
  `${first.charAt(0)}${dot}${second.charAt(0)}${dot}`;

/** How lists write a person with three names: `ZEMBLING, Qorvath Ulvanovich`. */
const listedName = /^(?<family>[\p{Lu}'-]+), (?<first>\p{L}+) (?<second>\p{L}+)$/u;
const spaces = /\s+/;

/** Every so many listed persons are queried. */
const listedStep = 10;

/** Returns queries with the initials of listed persons, which must be found. */
export function listedInitials(entries: readonly ListedEntry[]): Query[] {
  const listed = entries.flatMap(({ type, uid, names: [primary] }) => {
    const parts = type === "individual" ? listedName.exec(primary?.name ?? "")?.groups : undefined;
    const { family = "", first = "", second = "" } = parts ?? {};
    return family === "" ? [] : [{ uid, name: { family, first, second } }];
  });
  return listed
    .filter((_, at) => at % listedStep === 0)
    .flatMap(({ name, uid }) => queriesOfName(name, uid));
}

/**
 * Returns queries with the initials of persons who must not be found. A person of two names gets
 * the second initial of the previous person.
 */
export function innocentInitials(queries: readonly Query[]): Query[] {
  let second = "A";
  return queries.flatMap(({ party, expected }) => {
    const words = party.name.split(spaces);
    const [first = "", next = ""] = words;
    if (party.type !== "individual" || expected !== null || words.length < 2) return [];
    if (words.length > 2) second = next;
    return queriesOfName({ family: words.at(-1) ?? "", first, second }, null);
  });
}

function queriesOfName(name: FullName, expected: string | null): Query[] {
  const prefix = expected === null ? "neg_initials_" : "initials_";
  return forms.map(([form, write]) => ({
    id: `${form}:${expected ?? name.family}`,
    kind: `${prefix}${form}`,
    party: { type: "individual", name: write(name), date: "", countries: [], documents: [] },
    expected,
    accept: [],
  }));
}
