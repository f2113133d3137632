/** Digits, upper case, lower case: sorts as ASCII does. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The largest multiple of 62 within a byte: bytes from here on would favour the first letters. */
const fairByteMax = 62 * 4;

/**
 * Random characters out of random bytes, each of the 62 equally likely; asks for more bytes as
 * needed.
 */
export function randomBase62(length: number, randomBytes: (size: number) => Uint8Array): string {
  let text = "";
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < fairByteMax) text += alphabet.charAt(byte % 62);
    }
  }
  return text;
}

/** A whole number in base62 of a fixed width. */
export function base62(value: number, width: number): string {
  let text = "";
  for (let rest = value; rest > 0; rest = Math.floor(rest / 62)) {
    text = alphabet.charAt(rest % 62) + text;
  }
  return text.padStart(width, "0");
}
