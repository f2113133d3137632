/** A generated protobuf enum: value names without prefix, and their numbers. */
type ProtoEnum = Readonly<Record<string, number>>;

/** Returns an enum value's name in the public API's spelling, or "" for the unspecified value. */
export function enumName(enumeration: ProtoEnum, value: number): string {
  const found = Object.entries(enumeration).find(([, each]) => each === value)?.[0] ?? "";
  return found === "UNSPECIFIED" ? "" : found.toLowerCase();
}

/** Returns the enum value of a name, or the unspecified value for an unknown name. */
export function enumValue<E extends ProtoEnum>(enumeration: E, name: string | undefined) {
  const found = enumeration[name?.toUpperCase() ?? ""] ?? enumeration["UNSPECIFIED"];
  return found as E[keyof E];
}
