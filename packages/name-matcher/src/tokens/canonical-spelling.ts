/**
 * Rewrite rules in order: first rules with a context, then groups of letters, longer ones first.
 */
const rules: readonly (readonly [string, string])[] = [
  // Wade-Giles writes `hs` for the sound that pinyin writes `x`.
  ["^hs|^x(?=[iu])", "s"],
  ["x", "ks"],
  // Belarusian family names end in `ou` where Russian ones end in `ov`: `Tkachou`, `Ipatau`.
  ["(?<=.[chklnprstvz])ou$", "ov"],
  ["(?<=.[chklnprstvz])au$", "av"],
  // `Aouani`, `Awani`.
  ["ou(?=[aei])", "v"],
  ["ou|oo|eu", "u"],
  ["oe|eo", "o"],
  ["ue", "u"],
  ["ae", "a"],
  // `Saleem`, but not `Evseevich`.
  ["ee(?!v)", "i"],
  // `Evseevich`, `Yevseyevich`, `Jevsejevitj`.
  ["^[yi]e|^je(?=[vglkrfm])|(?<=[aeiou])[yij]e|(?<=[^aeiouyjdts])[yij]e", "e"],
  ["(?<=[^aeiouyjdts])j|(?<=[aeiouy])j(?![aou])", "i"],
  ["[yi]{2,}|y", "i"],
  ["tsch|tch|tsj|tj|cz|(?<=.)ch(?![rl])", "c"],
  ["^ch(?![rl])", "c"],
  ["ch|kh", "h"],
  ["sch|sh|sz|sj", "s"],
  ["dzh|dj", "j"],
  ["zh", "z"],
  // `Smirnoff`, `Smirnov`.
  ["(?<=[oe])ff$", "v"],
  ["ph", "f"],
  ["gh", "g"],
  ["dh", "d"],
  ["th", "t"],
  ["bh", "b"],
  ["ts|tz", "c"],
  ["ck(?!i)|q|c(?=[aouklrt])", "k"],
  ["wh|w", "v"],
  ["(?<=[aeou])h$", ""],
];
const group = new RegExp(rules.map(([from]) => `(${from})`).join("|"), "g");
const replacements = rules.map(([, to]) => to);
const doubled = /(.)\1+/g;

/**
 * Joins two canonical spellings. If the first ends with the letter that the second begins with, the
 * letter occurs once.
 */
export function concatSpellings(first: string, second: string): string {
  return first.endsWith(second.charAt(0)) ? first + second.slice(1) : first + second;
}

/**
 * Returns one spelling for all usual romanisations of a lower-case Latin token: `Yuri`, `Iurii`,
 * `Yury`; `Mohammed`, `Mohamed`; `Sergej`, `Sergey`. Use it for comparison only. Tokens with one
 * canonical spelling are similar, but not necessarily the same name. Only an empty token has an
 * empty spelling.
 */
export function canonicalSpelling(token: string): string {
  const replaced = token.replace(group, (...found: unknown[]) => {
    const which = found.findIndex((each, at) => at > 0 && each !== undefined);
    return replacements[which - 1] ?? "";
  });
  const canonical = replaced.replace(doubled, "$1");
  return canonical === "" ? token : canonical;
}

const vowels = /[aeiou]/g;
/** The minimum number of consonants to compare. */
const consonantsMin = 2;

/**
 * Returns the consonants of a canonical spelling, after an `a` if the spelling begins with a vowel.
 * Romanisations that differ in vowels have the same consonants. Returns "" for fewer than
 * `consonantsMin` consonants.
 */
export function consonantSkeleton(canonical: string): string {
  const consonants = canonical.replace(vowels, "").replace(doubled, "$1");
  if (consonants.length < consonantsMin) return "";
  return /^[aeiou]/.test(canonical) ? `a${consonants}` : consonants;
}
