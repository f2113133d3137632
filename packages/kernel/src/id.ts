/**
 * Ids are ULIDs in lower case: 10 characters encode the time in milliseconds, and 16 encode 80
 * random bits.
 */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 10;
const randomLength = 16;

/** The id prefixes of decisions §2. */
export const idPrefixes = {
  account: "acc",
  alert: "alr",
  batch: "bat",
  beneficiary: "ben",
  corridor: "cor",
  delivery: "whd",
  depositor: "dep",
  endpoint: "whe",
  event: "evt",
  file: "fil",
  link: "lnk",
  member: "mem",
  merchant: "mer",
  payout: "po",
  proposal: "prp",
  quote: "qt",
  replay: "whr",
  requestLog: "rlg",
  scheduledPayout: "spo",
  screening: "scr",
} as const;

export type IdNoun = keyof typeof idPrefixes;

/** Production uses `crypto.getRandomValues`. */
export type RandomBytes = (length: number) => Uint8Array;

const cryptoBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** Creates an id. Ids with later times sort after ids with earlier times. */
export function newId(noun: IdNoun, now = new Date(), randomBytes = cryptoBytes): string {
  let time = now.getTime();
  let head = "";
  for (let at = 0; at < timeLength; at += 1) {
    head = alphabet.charAt(time % 32) + head;
    time = Math.floor(time / 32);
  }
  const tail = Array.from(randomBytes(randomLength), (byte) => alphabet.charAt(byte & 31)).join("");
  return `${idPrefixes[noun]}_${head}${tail}`;
}

/**
 * Derives a record's id from its parent's id, for parents with at most one such record. For
 * example, quote `qt_x` has payout `po_x`.
 */
export function derivedId(noun: IdNoun, from: string): string {
  return `${idPrefixes[noun]}_${from.slice(from.indexOf("_") + 1)}`;
}

/**
 * Returns an id from a hash of at least 26 bytes. Use a keyed hash if its input could be guessed.
 */
export function hashedId(noun: IdNoun, hash: Uint8Array): string {
  const length = timeLength + randomLength;
  if (hash.length < length) throw new Error(`the hash must have at least ${length} bytes`);
  const body = Array.from(hash.subarray(0, length), (byte) => alphabet.charAt(byte & 31));
  return `${idPrefixes[noun]}_${body.join("")}`;
}

/**
 * Returns the id of an event. Each version of a payout has one event id, so publishing its event
 * again uses the same id.
 */
export function eventId(subjectId: string, version: number): string {
  return `${derivedId("event", subjectId)}_${version}`;
}

const idBody = /^[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}$/;

export function isId(noun: IdNoun, text: string): boolean {
  return text.startsWith(`${idPrefixes[noun]}_`) && idBody.test(text);
}

const nounOfPrefix = new Map(
  Object.entries(idPrefixes).map(([noun, prefix]) => [prefix as string, noun as IdNoun]),
);

/** Returns the problem of an id whose prefix shows that it is of another kind of record. */
export function otherKindProblem(expected: IdNoun, id: string): string | undefined {
  const [prefix = "", ...rest] = id.split("_");
  const sent = rest.length === 0 ? undefined : nounOfPrefix.get(prefix);
  if (sent === undefined || sent === expected) return undefined;
  return `is the id of ${withArticle(sent)}, not of ${withArticle(expected)}`;
}

/** Returns `a scheduled payout` for `scheduledPayout`. */
function withArticle(noun: IdNoun): string {
  const words = noun.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${/^[aeiou]/.test(words) ? "an" : "a"} ${words}`;
}
