/**
 * How alike two words are spelled: Damerau-Levenshtein distance (optimal string alignment: one edit
 * is an insertion, a deletion, a replacement or a swap of neighbours), and a sound key that
 * different romanisations of one name share (`Muhammad`, `Mohamed`).
 */

/** Words are cut to less than this before they are compared. */
export const wordLengthMax = 63;

/** Three rows of the distance table, kept: allocating them is most of what a comparison costs. */
const rows = [0, 1, 2].map(() => new Uint8Array(wordLengthMax + 1)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/** The distance of two words, or `limit + 1` as soon as it is known to be above `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let [beforeLast, last, row] = rows;
  for (let j = 0; j <= b.length; j += 1) last[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    if (fillRow(a, b, i, beforeLast, last, row) > limit) return limit + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] ?? 0, limit + 1);
}

/** Fills one row of the table and tells its least cell. */
function fillRow(
  a: string,
  b: string,
  i: number,
  beforeLast: Uint8Array,
  last: Uint8Array,
  row: Uint8Array,
): number {
  const letter = a.charCodeAt(i - 1);
  const before = i > 1 ? a.charCodeAt(i - 2) : -1;
  row[0] = i;
  let least = i;
  let left = i;
  for (let j = 1; j <= b.length; j += 1) {
    const other = b.charCodeAt(j - 1);
    let cell = (last[j - 1] ?? 0) + (letter === other ? 0 : 1);
    const deleted = (last[j] ?? 0) + 1;
    if (deleted < cell) cell = deleted;
    if (left + 1 < cell) cell = left + 1;
    if (j > 1 && before === other && letter === b.charCodeAt(j - 2)) {
      const swapped = (beforeLast[j - 2] ?? 0) + 1;
      if (swapped < cell) cell = swapped;
    }
    row[j] = cell;
    left = cell;
    if (cell < least) least = cell;
  }
  return least;
}

/** In order: longer spellings of one sound first. */
const sounds: readonly (readonly [RegExp, string])[] = [
  // Inside a word `j` is mostly a `y` (`Sergej`), but for what spells another sound.
  [/(?<=[^dts])j/g, "y"],
  [/sch|sh|sz|sj/g, "x"],
  [/tch|tj|cz|ch/g, "c"],
  [/dzh|zh|dj/g, "j"],
  [/kh/g, "h"],
  [/ph/g, "f"],
  [/gh/g, "g"],
  [/dh/g, "d"],
  [/th/g, "t"],
  [/ts|tz|z/g, "s"],
  [/ck|q/g, "k"],
  [/w/g, "v"],
];

/**
 * The consonants of a word by sound, with `a` in front when it begins with a vowel. `y` and a `j`
 * that stands for it count as vowels. "" where fewer than two consonants are left: too little to
 * compare.
 */
export function soundKey(word: string): string {
  let key = word;
  for (const [spelling, sound] of sounds) key = key.replace(spelling, sound);
  const first = /^[aeiouyj]/.test(key) ? "a" : "";
  const consonants = key.replace(/[aeiouy]/g, "").replace(/(.)\1+/g, "$1");
  return consonants.length < 2 ? "" : first + consonants;
}
