/** The encoding of a file without byte order mark or declaration (XML 1.0, section 4.3.3). */
const unmarked = "utf-8";

/** A part of a file in one encoding. A concatenated file may have parts in several encodings. */
export type Segment = {
  readonly start: number;
  readonly end: number;
  readonly encoding: string;
  /** True if the declared encoding is unsupported. */
  readonly isUnknown: boolean;
};

/**
 * The number of bytes to examine. It is enough to tell 16-bit text from text with some NUL bytes.
 */
const sampleBytes = 1_024;

/** The maximum length of an XML declaration, which has three short attributes. */
const declarationBytesMax = 400;

const utf8Mark = [0xef, 0xbb, 0xbf] as const;

/** Detects UTF-16 by its byte order mark, or by NUL in nearly every second byte. */
export function wideEncodingOf(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  let little = 0;
  let big = 0;
  let narrow = 0;
  for (let at = 0; at + 1 < Math.min(bytes.length, sampleBytes); at += 2) {
    if (bytes[at] === 0 && bytes[at + 1] === 0) continue;
    if (bytes[at + 1] === 0) little += 1;
    else if (bytes[at] === 0) big += 1;
    else narrow += 1;
  }
  if (little > narrow + big) return "utf-16le";
  return big > narrow + little ? "utf-16be" : undefined;
}

/** Splits an XML file by encoding. The encoding may change at each XML declaration. */
export function segmentsOf(bytes: Uint8Array): Segment[] {
  const wide = wideEncodingOf(bytes);
  if (wide !== undefined) {
    return [{ start: 0, end: bytes.length, encoding: wide, isUnknown: false }];
  }
  const beginnings: Declaration[] = [{ start: 0, encoding: unmarked, isUnknown: false }];
  for (const each of declarationsOf(bytes)) {
    const last = beginnings.at(-1);
    if (last?.encoding === each.encoding && last.isUnknown === each.isUnknown) continue;
    beginnings.push(each);
  }
  return beginnings.map(({ start, encoding, isUnknown }, index) => {
    const end = beginnings[index + 1]?.start ?? bytes.length;
    return { start, end, encoding, isUnknown };
  });
}

type Declaration = {
  readonly start: number;
  readonly encoding: string;
  readonly isUnknown: boolean;
};

/** Finds XML declarations at positions where a document may begin. */
function* declarationsOf(bytes: Uint8Array): Generator<Declaration> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = buffer.indexOf("<?xml"); at >= 0; at = buffer.indexOf("<?xml", at + 5)) {
    if (!isBetweenDocuments(bytes, at)) continue;
    if (startsWith(bytes, at - utf8Mark.length, utf8Mark)) {
      yield { start: at - utf8Mark.length, encoding: "utf-8", isUnknown: false };
      continue;
    }
    const text = buffer.subarray(at, at + declarationBytesMax).toString("latin1");
    const name = /^<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]*)["']/.exec(text)?.[1];
    const encoding = encodingNamed(name ?? unmarked);
    yield { start: at, encoding: encoding ?? unmarked, isUnknown: encoding === undefined };
  }
}

/**
 * True if a document may begin at this position: at the start of a line or of the file, or after a
 * tag. A declaration that is quoted within a text does not match.
 */
function isBetweenDocuments(bytes: Uint8Array, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && isPadding(bytes[before] ?? 0)) before -= 1;
  const isOwnLine = [0x0a, 0x0d].includes(bytes[at - 1] ?? 0);
  return before < 0 || bytes[before] === 0x3e || isOwnLine;
}

function isPadding(byte: number): boolean {
  return byte <= 0x20 || utf8Mark.some((each) => each === byte);
}

function startsWith(bytes: Uint8Array, at: number, part: readonly number[]): boolean {
  return at >= 0 && part.every((each, index) => bytes[at + index] === each);
}

/** Encoding names of Java, Microsoft and IBM. The WHATWG encoding standard does not list them. */
const aliases: readonly (readonly [RegExp, string])[] = [
  // UTF-16 is detected from the bytes earlier. A declaration of UTF-16 on a file with other bytes
  // is wrong, and UTF-8 is used.
  [/^(?:utf-?16.*|ucs-?2|iso-10646-ucs-2|unicode(?:fffe|feff)?|csunicode)$/, "utf-8"],
  [/^(?:us-?)?ascii.*|^(?:ansi_x3|iso_?646|iso-ir-6\b|ibm367|cp367|cp20127|20127|646)/, "utf-8"],
  [/^(?:x-)?utf_?8.*|^utf-8.+|^(?:cp)?65001$/, "utf-8"],
  [/^ansi$|^ansi-?1252$|^windows-?latin-?1$/, "windows-1252"],
  [/^(?:x-)?(?:cp|ms|win|windows|ibm|ansi)?[-_ ]?(125[0-8])$/, "windows-$1"],
  [/^(?:iso)?[-_ ]?8859[-_ ]?(\d{1,2})(?:[:_-]\d{4})?$/, "iso-8859-$1"],
  [/^(?:cp|ibm|windows)?-?2859([1-9])$/, "iso-8859-$1"],
  [/^(?:cp|ibm|windows)?-?28605$|^latin[-_ ]?9$|^l9$|^cp923$/, "iso-8859-15"],
  [/^(?:cp|ibm)-?819$/, "iso-8859-1"],
  [/^(?:cp|ibm)-?912$/, "iso-8859-2"],
  [/^latin[-_ ]?([1-4])$/, "iso-8859-$1"],
  [/^latin[-_ ]?5$/, "iso-8859-9"],
];

/** Returns the name that `TextDecoder` uses for a declared encoding, or `undefined`. */
export function encodingNamed(name: string): string | undefined {
  const label = name.trim().toLowerCase();
  const [pattern, encoding] = aliases.find(([each]) => each.test(label)) ?? [];
  const known = pattern === undefined ? label : label.replace(pattern, encoding ?? "");
  try {
    return new TextDecoder(known).encoding;
  } catch {
    return undefined;
  }
}
