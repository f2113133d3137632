import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { segmentsOf, wideEncodingOf } from "./encodings.ts";

/** Replaces bytes that are invalid in their encoding, and control characters. */
export const replacement = "\ufffd";

/**
 * The maximum file size. It holds half a million NACHA records or 150,000 payments of a pain.002.
 * No bank sends more.
 */
export const fileBytesMax = 64 * 2 ** 20;

/** Refuses a file of more than 64 MiB. */
export const tooLarge: Refused<"UNREADABLE"> = refused(
  "UNREADABLE",
  `has more than ${fileBytesMax} bytes`,
);

/** Bytes to decode at once, so that the whole text is never in memory. */
const chunkBytes = 65_536;

/** Characters that XML 1.0 and bank references do not allow. */
const controls = /[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu;

/**
 * Signs of a wrong encoding: replaced bytes, and control characters where a similar single-byte
 * encoding has letters.
 */
const damaged = /[\u0080-\u009f\ufffd]/g;

/** The text of an XML file, and the problems of its encoding. */
export type XmlText = {
  readonly chunks: Iterable<string>;
  /** Encoding problems of the text read so far, for operators. */
  problems(): string[];
};

/**
 * Decodes an XML file. The byte order mark, the bytes or the XML declaration give the encoding. An
 * invalid byte becomes U+FFFD and is counted. NUL becomes a blank, because mainframes pad files
 * with NUL.
 */
export function xmlText(bytes: Uint8Array): XmlText {
  let replaced = 0;
  let isGuessed = false;
  function* chunks(): Generator<string> {
    for (const { start, end, encoding, isUnknown } of segmentsOf(bytes)) {
      for (const text of decoded(bytes.subarray(start, end), encoding)) {
        replaced += text.match(damaged)?.length ?? 0;
        if (isUnknown && /\P{ASCII}/u.test(text)) isGuessed = true;
        yield text.replaceAll("\0", " ").replace(controls, replacement);
      }
    }
  }
  return {
    chunks: chunks(),
    problems: () => [
      ...(replaced === 0 ? [] : [`characters that are not of its encoding, replaced: ${replaced}`]),
      ...(isGuessed ? ["is in an encoding that is not known and was read as UTF-8"] : []),
    ],
  };
}

/**
 * Decodes a file with fixed columns. Each byte becomes one character, because NACHA counts columns
 * in bytes. UTF-16 is decoded to its characters.
 */
export function* columnText(bytes: Uint8Array): Generator<string> {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) {
    yield* decoded(bytes, wide);
    return;
  }
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < buffer.length; at += chunkBytes) {
    yield buffer.toString("latin1", at, Math.min(buffer.length, at + chunkBytes));
  }
}

function* decoded(bytes: Uint8Array, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const text = decoder.decode(bytes.subarray(at, at + chunkBytes), { stream: true });
    if (text !== "") yield text;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

/** Blank lines, padding and byte order marks around the content of a file. */
const padding = /^(?:[\s\p{Cc}]|\u00ef\u00bb\u00bf)+/u;

/**
 * The header of a NACHA file: record type 1, priority code 01, record size 094, blocking factor 10,
 * format code 1.
 */
export const achHead = /101.{31}094101/;

/**
 * Returns the format of a file, or `undefined` if unknown. The first line that is not a
 * transmission card decides. File transfer software of banks adds such cards.
 */
export function formatOf(bytes: Uint8Array): "xml" | "ach" | undefined {
  let text = "";
  for (const chunk of columnText(bytes)) {
    text = (text + chunk).replace(padding, "");
    if (text.length >= chunkBytes / 2) break;
  }
  const xmlAt = text.indexOf("<");
  const headAt = text.startsWith("101") ? 0 : text.search(achHead);
  if (headAt >= 0 && (xmlAt < 0 || headAt < xmlAt)) return "ach";
  return xmlAt >= 0 ? "xml" : undefined;
}

/**
 * True for a transmission card, such as a line that begins with `$$ADD` or `//`. No record and no
 * sentence begins with these signs.
 */
export function isCard(line: string): boolean {
  return /^[$/*%#@&!+\-=:;.~|]/.test(line.trim());
}
