/** A generated enum of the contract: its names without prefix, and their numbers. */
type ProtoEnum = Readonly<Record<string, number>>;

/** The names of an enum in lower case, without the unspecified value. */
export type WordOf<E extends ProtoEnum> = Lowercase<Exclude<keyof E & string, "UNSPECIFIED">>;

type Words = {
  readonly list: readonly string[];
  readonly byValue: ReadonlyMap<number, string>;
  readonly byWord: ReadonlyMap<string, number>;
};

const known = new WeakMap<ProtoEnum, Words>();

function wordsFor(enumeration: ProtoEnum): Words {
  let words = known.get(enumeration);
  if (words === undefined) {
    const pairs = Object.entries(enumeration)
      .filter(([name]) => name !== "UNSPECIFIED")
      .map(([name, value]) => [name.toLowerCase(), value] as const);
    words = {
      list: pairs.map(([word]) => word),
      byValue: new Map(pairs.map(([word, value]) => [value, word])),
      byWord: new Map(pairs),
    };
    known.set(enumeration, words);
  }
  return words;
}

/** The names of an enum, as in the public interface, in the contract's order. */
export function wordsOf<E extends ProtoEnum>(enumeration: E): readonly WordOf<E>[] {
  return wordsFor(enumeration).list as readonly WordOf<E>[];
}

/** The name of a value; `undefined` for the unspecified value, and for one of a newer contract. */
export function wordOf<E extends ProtoEnum>(enumeration: E, value: number): WordOf<E> | undefined {
  return wordsFor(enumeration).byValue.get(value) as WordOf<E> | undefined;
}

/** The value of a name; `undefined` for a text that is not one of the enum's names. */
export function valueOfWord<E extends ProtoEnum>(enumeration: E, word: WordOf<E>): E[keyof E];
export function valueOfWord<E extends ProtoEnum>(
  enumeration: E,
  word: string,
): E[keyof E] | undefined;
export function valueOfWord(enumeration: ProtoEnum, word: string): number | undefined {
  return wordsFor(enumeration).byWord.get(word);
}
