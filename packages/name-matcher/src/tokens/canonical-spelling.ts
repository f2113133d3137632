/** Rewrite rules: contexts first, then longer groups of letters before shorter ones. */
const rules: readonly (readonly [string, string])[] = [
  // Wade-Giles writes `hs` for the sound that pinyin writes `x`.
  ["^hs|^x(?=[iu])", "s"],
  ["x", "ks"],
  // Belarusian ends in a vowel if Russian ends in `v`: `Tkachou`, `Ipatau`.
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

/** Joins two canonical spellings; a letter that ends one and begins the other occurs once. */
export function concatSpellings(first: string, second: string): string {
  return first.endsWith(second.charAt(0)) ? first + second.slice(1) : first + second;
}

/**
 * Gives one spelling to a lower-case Latin token that romanisations, languages and habits write
 * differently: `Yuri`, `Iurii`, `Yury`; `Mohammed`, `Mohamed`; `Sergej`, `Sergey`. It is for
 * comparison only, and broader than any romanisation: tokens with one canonical spelling are
 * similar, not equal. Only an empty token has an empty spelling.
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
/** Fewer consonants are not enough to compare. */
const consonantsMin = 2;

/**
 * Returns the consonants of a canonical spelling, with `a` in front if it begins with a vowel.
 * Romanisations that differ in vowels agree on these. Returns "" if too few consonants are left.
 */
export function consonantSkeleton(canonical: string): string {
  const consonants = canonical.replace(vowels, "").replace(doubled, "$1");
  if (consonants.length < consonantsMin) return "";
  return /^[aeiou]/.test(canonical) ? `a${consonants}` : consonants;
}
