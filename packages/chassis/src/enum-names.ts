/** A generated enum of the contract, which maps names without prefix to numbers. */
type ProtoEnum = Readonly<Record<string, number>>;

/** The names of an enum in lower case, without `UNSPECIFIED`. */
export type EnumName<E extends ProtoEnum> = Lowercase<Exclude<keyof E & string, "UNSPECIFIED">>;

type Names = {
  readonly list: readonly string[];
  readonly byValue: ReadonlyMap<number, string>;
  readonly byName: ReadonlyMap<string, number>;
};

const known = new WeakMap<ProtoEnum, Names>();

function namesOf(enumeration: ProtoEnum): Names {
  let names = known.get(enumeration);
  if (names === undefined) {
    const pairs = Object.entries(enumeration)
      .filter(([name]) => name !== "UNSPECIFIED")
      .map(([name, value]) => [name.toLowerCase(), value] as const);
    names = {
      list: pairs.map(([name]) => name),
      byValue: new Map(pairs.map(([name, value]) => [value, name])),
      byName: new Map(pairs),
    };
    known.set(enumeration, names);
  }
  return names;
}

/** Returns the names of an enum as the public interface uses them, in the contract's order. */
export function enumNames<E extends ProtoEnum>(enumeration: E): readonly EnumName<E>[] {
  return namesOf(enumeration).list as readonly EnumName<E>[];
}

/**
 * Returns the name of a value. Returns `undefined` for the unspecified value, and for a value of a
 * newer contract.
 */
export function enumName<E extends ProtoEnum>(
  enumeration: E,
  value: number,
): EnumName<E> | undefined {
  return namesOf(enumeration).byValue.get(value) as EnumName<E> | undefined;
}

/** Returns the value of a name. Returns `undefined` for a text that is not a name of the enum. */
export function enumValue<E extends ProtoEnum>(enumeration: E, name: EnumName<E>): E[keyof E];
export function enumValue<E extends ProtoEnum>(
  enumeration: E,
  name: string,
): E[keyof E] | undefined;
export function enumValue(enumeration: ProtoEnum, name: string): number | undefined {
  return namesOf(enumeration).byName.get(name);
}
