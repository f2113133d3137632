/** Ids as ULIDs in lower case: 10 characters of milliseconds, 16 of randomness (80 bits). */
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
const timeLength = 10;
const randomLength = 16;

/** The prefixes of decisions §2, by the noun that they stand for. */
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

/** A noun whose records have ids. */
export type IdNoun = keyof typeof idPrefixes;

/** Fills a buffer with random bytes; `crypto.getRandomValues` in production. */
export type RandomBytes = (length: number) => Uint8Array;

const cryptoBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** A new id of a noun, ordered by `now`. */
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

/** The id of the only such record of another: a quote's payout, `qt_x` → `po_x`. */
export function derivedId(noun: IdNoun, from: string): string {
  return `${idPrefixes[noun]}_${from.slice(from.indexOf("_") + 1)}`;
}

/** The id for a hash of at least 26 bytes, which is keyed where its input could be guessed. */
export function hashedId(noun: IdNoun, hash: Uint8Array): string {
  const length = timeLength + randomLength;
  if (hash.length < length) throw new Error(`a hash of fewer than ${length} bytes`);
  const body = Array.from(hash.subarray(0, length), (byte) => alphabet.charAt(byte & 31));
  return `${idPrefixes[noun]}_${body.join("")}`;
}

/** The id of a payout's event: one per payout and version, the same however often it is made. */
export function eventId(subjectId: string, version: number): string {
  return `${derivedId("event", subjectId)}_${version}`;
}

const idBody = /^[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{26}$/;

/** Whether a text is well-formed as an id of this noun. */
export function isId(noun: IdNoun, text: string): boolean {
  return text.startsWith(`${idPrefixes[noun]}_`) && idBody.test(text);
}
