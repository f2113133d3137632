import { createHash } from "node:crypto";
import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { cleanText, textProblem } from "@disburse/kernel/text.ts";
import { type MediaType, mediaTypeOf } from "./file-type.ts";

/**
 * The maximum size of a file. With its base64 form it fits a message of 4 MiB on its whole way, so
 * that an upload and a download are one call each.
 */
export const fileBytesMax = 3 * 1024 * 1024;

/** With an added extension, a name fits the 255 bytes of usual file systems, if it is ASCII. */
const nameMax = 251;

/** An uploaded file that may be stored. */
export type CheckedFile = {
  readonly name: string;
  readonly mediaType: MediaType;
  readonly content: Buffer;
  /** In hexadecimal. */
  readonly sha256: string;
};

/** The rules of one use of files. */
export type FileRules = {
  readonly mediaTypes: readonly MediaType[];
  readonly bytesMax: number;
};

/** Files that prove something: documents, pictures and text. */
export const evidenceRules: FileRules = {
  mediaTypes: ["application/pdf", "image/png", "image/jpeg", "text/plain"],
  bytesMax: fileBytesMax,
};

/** The extensions that a name of each type may have. The first is added to other names. */
const extensions: Readonly<Record<MediaType, readonly [string, ...string[]]>> = {
  "application/pdf": ["pdf"],
  "image/png": ["png"],
  "image/jpeg": ["jpg", "jpeg"],
  "text/plain": ["txt", "csv", "tsv", "log", "md", "json"],
};

/**
 * Adds the extension of the type, because the computer of a person who saves the file opens it by
 * its extension. `invoice.html` with plain text becomes `invoice.html.txt`.
 */
function nameOfType(name: string, mediaType: MediaType): string {
  const own = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  const [first, ...others] = extensions[mediaType];
  return [first, ...others].includes(own) ? name : `${name}.${first}`;
}

/** Checks an uploaded file. The name has no effect on the type, but the type on the name. */
export function checkFile(
  given: { readonly name: string; readonly content: Uint8Array },
  { mediaTypes, bytesMax }: FileRules,
): CheckedFile | Refused<"INVALID_REQUEST"> {
  const name = cleanText(given.name);
  const isSized = name.length >= 1 && name.length <= nameMax;
  if (!isSized || /[/\\]/.test(name) || textProblem(name) !== undefined) {
    const rule = `must be 1 to ${nameMax} printable characters without slashes`;
    return refused("INVALID_REQUEST", `name: ${rule}`);
  }
  const content = Buffer.from(given.content);
  if (content.length < 1 || content.length > bytesMax) {
    return refused("INVALID_REQUEST", `content: must be 1 to ${bytesMax} bytes`);
  }
  const mediaType = mediaTypeOf(content);
  if (mediaType === undefined || !mediaTypes.includes(mediaType)) {
    return refused("INVALID_REQUEST", `content: must be of type ${mediaTypes.join(", ")}`);
  }
  const ofType = nameOfType(name, mediaType);
  return { name: ofType, mediaType, content, sha256: sha256Of(content) };
}

export function sha256Of(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
