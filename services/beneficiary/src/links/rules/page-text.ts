/** Checks a merchant's texts before the link's public page shows them. */

const urlProblem = "must not contain a web or email address";
const phoneProblem = "must not contain a phone number";
const lookAlikeProblem = "must not contain look-alike or invisible characters";

/** `https:`, `www.`, `@`, `//`, or a dot before letters, as in `evil.example`. */
const address = /:|@|\/\/|\\|\bwww\b|\.\p{L}{2,}|\d+\.\d+\.\d+\.\d+/iu;
/**
 * The maximum digits in a text. A company name may contain a year, and phone numbers have at least
 * six digits.
 */
const digitsMax = 5;
const dialled = /\+\s*\p{Nd}/u;

/** Refuses a text that contains a web address, an email address or a phone number. */
export function contactProblem(text: string): string | undefined {
  const plain = text.normalize("NFKC");
  if (address.test(plain)) return urlProblem;
  const digits = plain.match(/\p{Nd}/gu)?.length ?? 0;
  return digits > digitsMax || dialled.test(plain) ? phoneProblem : undefined;
}

/** Scripts in everyday use. Other scripts contain letters that imitate these. */
const scripts = [
  ...["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Thai", "Lao"],
  ...["Khmer", "Myanmar", "Sinhala", "Ethiopic", "Devanagari", "Bengali", "Gujarati", "Gurmukhi"],
  ...["Kannada", "Malayalam", "Oriya", "Tamil", "Telugu"],
].map((name) => new RegExp(`\\p{Script=${name}}`, "u"));
/** These scripts may be mixed with each other and with Latin, as in "TCL 集团". */
const eastAsian =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}ー]/u;
const [latin = /[A-Z]/u] = scripts;
const [, greek = latin, cyrillic = latin, armenian = latin] = scripts;

/** Letters, marks, digits, spaces, and the punctuation of names. */
const nameText = /^[\p{L}\p{M}\p{Nd} '’.,&()/!+–-]*$/u;
/**
 * Latin letters of living languages. Excludes `ı`, `ĸ` and phonetic letters, which imitate others.
 */
const latinInUse = /^[A-Za-zÀ-İĲ-ķĹ-žƠơƯưǍ-ǜȘ-țḀ-ỿ]$/u;
/**
 * Letters of other scripts that look Latin (Unicode TR39). A word of only these can imitate a Latin
 * word.
 */
const looksLatin =
  /^[асеорхуівкмнтѕјԁԛԝһӏёїАСЕОРХУІВКМНТЅЈԚԜҺӀЁЇαβεηικμνορτυχζγωΑΒΕΖΗΙΚΜΝΟΡΤΥΧօսոհյզցգքԼՕՍՏ]$/u;
/** A digit in place of a letter, as in `Paypa1` or `G00gle`, or a capital I for a final l. */
const forLetter = /[a-z][01]|[01][a-z]|[a-z]I\b/u;
const ordinals = /\b\d+(?:st|nd|rd|th)\b/giu;

/**
 * Refuses a display name that can pass for another name. Always accepts the registered name, which
 * operators have checked.
 */
export function displayNameProblem(text: string, registered: string): string | undefined {
  if (text === registered) return undefined;
  return contactProblem(text) ?? (looksAlike(text) ? lookAlikeProblem : undefined);
}

function looksAlike(text: string): boolean {
  if (text.normalize("NFKC") !== text.normalize("NFC") || !nameText.test(text)) return true;
  if (forLetter.test(text.replace(ordinals, ""))) return true;
  const letters = text.match(/\p{L}/gu) ?? [];
  const others = letters.filter((each) => !eastAsian.test(each));
  const used = scripts.filter((script) => others.some((each) => script.test(each)));
  const isKnown = others.every((each) => scripts.some((script) => script.test(each)));
  const isMixed = used.length > 1 || (others.length < letters.length && used.some(isNotLatin));
  if (!isKnown || isMixed) return true;
  if (others.some((each) => latin.test(each) && !latinInUse.test(each))) return true;
  const isEuropean = [latin, greek, cyrillic, armenian].some((script) => used.includes(script));
  // Marks that don't combine with the preceding letter strike it out or dot it.
  if (isEuropean && /\p{M}/u.test(text)) return true;
  return others.length > 0 && others.every((each) => looksLatin.test(each));
}

const isNotLatin = (script: RegExp): boolean => script !== latin;
