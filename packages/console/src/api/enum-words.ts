/** A generated enum of the contract: its names without prefix, and their numbers. */
type ProtoEnum = Readonly<Record<string, number>>;

/** The word of an enum's value, as the public interface writes words; empty for none. */
export function wordIn(enumeration: ProtoEnum, value: number): string {
  const found = Object.entries(enumeration).find(([, each]) => each === value)?.[0] ?? "";
  return found === "UNSPECIFIED" ? "" : found.toLowerCase();
}

/** The value of a word; the unspecified one where there is none. */
export function valueIn<E extends ProtoEnum>(enumeration: E, word: string | undefined) {
  const found = enumeration[word?.toUpperCase() ?? ""] ?? enumeration["UNSPECIFIED"];
  return found as E[keyof E];
}
