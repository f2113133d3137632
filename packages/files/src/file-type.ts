/** The media types of files that may be stored. */
export type MediaType = "application/pdf" | "image/png" | "image/jpeg" | "text/plain";

const signatures: readonly (readonly [MediaType, Buffer])[] = [
  // ISO 32000-1, 7.5.2: the header of a PDF.
  ["application/pdf", Buffer.from("%PDF-")],
  // ISO/IEC 15948, 5.2: the signature of a PNG.
  ["image/png", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  // ISO/IEC 10918-1, B.1.1: the marker SOI, and the begin of the next marker.
  ["image/jpeg", Buffer.from([0xff, 0xd8, 0xff])],
];

const utf8 = new TextDecoder("utf-8", { fatal: true });
/** Control characters except tab, line feed, form feed and carriage return. */
const controls = /[^\P{Cc}\t\n\f\r]/u;

/**
 * Returns the media type of a content, or `undefined` if it is none that may be stored. CSV is
 * `text/plain`, because its content doesn't differ from other text.
 */
export function mediaTypeOf(content: Buffer): MediaType | undefined {
  const found = signatures.find(([, start]) => content.subarray(0, start.length).equals(start));
  return found?.[0] ?? (isText(content) ? "text/plain" : undefined);
}

function isText(content: Buffer): boolean {
  try {
    return !controls.test(utf8.decode(content));
  } catch {
    return false;
  }
}
