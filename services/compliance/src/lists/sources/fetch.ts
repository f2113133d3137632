import { readFile, stat } from "node:fs/promises";
import type { ListFile } from "../formats/file-bytes.ts";
import { joinedBytes } from "../imports/files.ts";
import { locationShown, type SourceFile } from "./setting.ts";

/** Identifies the state of a file, so that the file is read again only after a change. */
export type Validator = {
  readonly location: string;
  /** The entity tag of a response, or the time and length of a local file. "" if there is none. */
  readonly tag: string;
  /** The `Last-Modified` header as the server sent it. "" if there is none. */
  readonly modified: string;
};

/** Limits of size and time; `stop` aborts for another reason. */
export type FetchLimits = {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
};

/** The files of a source, with validators to detect later changes. */
export type FetchedFiles = {
  readonly files: readonly ListFile[];
  readonly validators: readonly Validator[];
  /** The time of the newest change, if any file has one. */
  readonly modifiedAt: Date | undefined;
};
type FetchProblem = { readonly problem: string };
type Read = { readonly bytes: Uint8Array; readonly validator: Validator };

/**
 * The maximum number of redirects. Publishers occasionally move a file; more redirects indicate a
 * loop.
 */
const redirectsMax = 5;
const unchanged = "unchanged";

/** A problem with a location, as text for operators. Thrown only in this file. */
class Unreadable extends Error {}

/**
 * Reads the files of a source. If none has changed since `known`, returns "unchanged". If one has
 * changed, reads all.
 */
export async function fetchFiles(
  files: readonly SourceFile[],
  known: readonly Validator[],
  limits: FetchLimits,
): Promise<FetchedFiles | typeof unchanged | FetchProblem> {
  const stop = AbortSignal.any([limits.stop, AbortSignal.timeout(limits.timeoutMs)]);
  const within = { ...limits, stop };
  const reads: (Read | typeof unchanged)[] = [];
  try {
    for (const file of files) {
      const validator = known.find(({ location }) => location === locationShown(file));
      reads.push(await fetchFile(file, validator, within));
    }
    if (reads.every((read) => read === unchanged)) return unchanged;
    return gathered(
      files,
      await Promise.all(reads.map((read, at) => whole(files[at], read, within))),
    );
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}

/** Reads a file regardless of its validator, because another file of the list has changed. */
async function whole(
  file: SourceFile | undefined,
  read: Read | typeof unchanged,
  limits: FetchLimits,
): Promise<Read> {
  const again =
    read === unchanged && file !== undefined ? await fetchFile(file, undefined, limits) : read;
  if (again === unchanged) throw new Unreadable("a file was unchanged without having been read");
  return again;
}

function gathered(files: readonly SourceFile[], reads: readonly Read[]): FetchedFiles {
  const times = reads
    .map(({ validator }) => Date.parse(validator.modified))
    .filter(Number.isFinite);
  return {
    files: reads.map(({ bytes }, at) => ({ name: files[at]?.name ?? "", bytes })),
    validators: reads.map(({ validator }) => validator),
    modifiedAt: times.length === 0 ? undefined : new Date(Math.max(...times)),
  };
}

async function fetchFile(
  file: SourceFile,
  known: Validator | undefined,
  limits: FetchLimits,
): Promise<Read | typeof unchanged> {
  const location = locationShown(file);
  try {
    return await ("path" in file
      ? readPath(file.path, known, limits)
      : readUrl(file.url, location, known, limits));
  } catch (error) {
    const problem = limits.stop.aborted
      ? "did not send a complete response in time"
      : problemOf(error);
    throw new Unreadable(`${location}: ${problem}`, { cause: error });
  }
}

function problemOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = [code, cause?.code].find((each) => typeof each === "string");
  return known === undefined ? "could not be read completely" : `could not be read (${known})`;
}

async function readPath(
  path: string,
  known: Validator | undefined,
  limits: FetchLimits,
): Promise<Read | typeof unchanged> {
  const { mtime, size } = await stat(path);
  const tag = `${mtime.getTime()}-${size}`;
  if (known?.tag === tag) return unchanged;
  if (size > limits.bytesMax) throw tooLarge(limits);
  const bytes = Uint8Array.from(await readFile(path, { signal: limits.stop }));
  return { bytes, validator: { location: path, tag, modified: mtime.toISOString() } };
}

async function readUrl(
  url: string,
  location: string,
  known: Validator | undefined,
  limits: FetchLimits,
): Promise<Read | typeof unchanged> {
  const response = await followed(new URL(url), known, limits);
  if (response.status === 304 && known !== undefined) {
    await response.body?.cancel();
    return unchanged;
  }
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Unreadable(`answered ${response.status}`);
  }
  const bytes = await bodyOf(response, limits);
  const { headers } = response;
  const tag = headers.get("etag") ?? "";
  return { bytes, validator: { location, tag, modified: headers.get("last-modified") ?? "" } };
}

/** Follows redirects, but never from https to plain http. */
async function followed(
  url: URL,
  known: Validator | undefined,
  { stop }: FetchLimits,
): Promise<Response> {
  const headers = {
    "user-agent": "disburse-compliance",
    // Requests an uncompressed body, because a truncated compressed body may go unnoticed.
    "accept-encoding": "identity",
    ...(known?.tag ? { "if-none-match": known.tag } : {}),
    ...(known?.modified ? { "if-modified-since": known.modified } : {}),
  };
  let at = url;
  for (let hop = 0; hop <= redirectsMax; hop += 1) {
    const response = await fetch(at, { headers, redirect: "manual", signal: stop });
    const target = response.headers.get("location");
    if (response.status < 301 || response.status > 308 || response.status === 304) return response;
    await response.body?.cancel();
    const next = redirected(at, target);
    if ("problem" in next) throw new Unreadable(next.problem);
    at = next;
  }
  throw new Unreadable(`redirects more than ${redirectsMax} times`);
}

/** Refuses a redirect to an address with credentials or of another protocol. */
export function redirected(from: URL, location: string | null): URL | FetchProblem {
  const to = location === null ? null : URL.parse(location, from);
  if (to === null || to.username !== "" || to.password !== "") {
    return { problem: "redirects to an invalid address, or to one with credentials" };
  }
  const isKept = to.protocol === "https:" || (to.protocol === "http:" && from.protocol === "http:");
  return isKept ? to : { problem: "redirects to an address without https" };
}

/**
 * Reads a body. The limit applies to the decoded bytes, because a small compressed body can decode
 * to a huge one.
 */
async function bodyOf(response: Response, limits: FetchLimits): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > limits.bytesMax) throw tooLarge(limits);
    pieces.push(piece);
  }
  return joinedBytes(pieces);
}

function tooLarge({ bytesMax }: FetchLimits): Unreadable {
  return new Unreadable(`is more than ${bytesMax} bytes`);
}
