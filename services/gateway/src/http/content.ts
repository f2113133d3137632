import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { PageAnswer } from "./answer.ts";
import type { RouterContext } from "./observe.ts";

/** The path contains the content's hash, so a file never changes. */
export const forever = "public, max-age=31536000, immutable";
/** A cached page is revalidated each time, and rarely sent again. */
export const revalidate = "no-cache";

export type Headers = Readonly<Record<string, string>>;

/** 1.7 MB take 0.1 s at 9 and 1.2 s at 10, for 7 % less. */
const brotliQuality = 9;

const compress = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/** Smallest result first. */
const encodings = ["br", "gzip"] as const;

/** First 16 hexadecimal digits of the SHA-256. Identifies one version of a content. */
export function contentHash(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/**
 * Serves content with an `ETag`, compressed as the caller accepts it. Compressed bytes are cached
 * on the first request. Uncompressed bytes are rarely requested and not cached.
 */
export function serveContent(
  hash: string,
  headers: Headers,
  load: () => Promise<Buffer>,
): (ctx: RouterContext) => Promise<PageAnswer> {
  const kept = new Map<keyof typeof compress, Promise<Buffer>>();
  const compressed = (encoding: keyof typeof compress) => {
    const cached = kept.get(encoding);
    if (cached !== undefined) return cached;
    const now = load().then(compress[encoding]);
    kept.set(encoding, now);
    now.catch(() => kept.delete(encoding));
    return now;
  };
  return async (ctx) => {
    // Tested one by one: given both, `acceptsEncodings` prefers gzip for a caller that accepts
    // both.
    const encoding = encodings.find((each) => ctx.acceptsEncodings(each) === each);
    const shown = {
      ...headers,
      ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
      ETag: `"${hash}-${encoding ?? "identity"}"`,
      Vary: "Accept-Encoding",
    };
    // Koa compares ETags only for a successful status.
    ctx.status = 200;
    ctx.set("ETag", shown.ETag);
    const isKnown = ctx.fresh;
    ctx.remove("ETag");
    if (isKnown) return { status: 304, headers: shown, body: "" };
    const body = await (encoding === undefined ? load() : compressed(encoding));
    return { status: 200, headers: shown, body };
  };
}
