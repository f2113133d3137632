import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { Mode } from "../keys/rules/key.ts";
import type { PageAnswer } from "./answer.ts";
import { docsPage, type Reference } from "./docs-page.ts";
import type { RouterContext } from "./observe.ts";

/** The path holds the content's hash, so a file never changes. */
const forever = "public, max-age=31536000, immutable";
/** A cached page is revalidated each time, and rarely sent again. */
const revalidate = "no-cache";

const script = "text/javascript; charset=utf-8";
const style = "text/css; charset=utf-8";

/** What is served without a key. */
export type PublicRouteDeps = {
  /** Whether the gateway should get requests now. */
  readonly isReady: () => Promise<boolean>;
  /** The OpenAPI document. */
  readonly reference: object;
  readonly mode: Mode;
};

/** Every route outside `/api/v1`: probes, the OpenAPI document and its page. */
export async function publicRoutes({
  isReady,
  reference,
  mode,
}: PublicRouteDeps): Promise<readonly PublicRoute[]> {
  const status = (code: number, body: object): Answer => {
    return { status: code, headers: {}, body: JSON.stringify(body) };
  };
  return [
    textRoute("/openapi.json", JSON.stringify(reference), {}),
    { path: "/healthz", isProbe: true, answer: async () => status(200, { status: "ok" }) },
    {
      path: "/readyz",
      isProbe: true,
      answer: async () =>
        (await isReady()) ? status(200, { status: "ready" }) : status(503, { status: "not ready" }),
    },
    ...(await docsRoutes(reference as Reference, mode)),
  ];
}

/**
 * `/docs` and the files that it loads. All of it comes from this process; the page may load from,
 * and send to, no other.
 */
async function docsRoutes(reference: Reference, mode: Mode): Promise<readonly PublicRoute[]> {
  const [component, componentStyle, pageScript] = await Promise.all([
    fileRoute("component.js", import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"), script),
    fileRoute("component.css", import.meta.resolve("swagger-ui-dist/swagger-ui.css"), style),
    fileRoute("page.js", new URL("./docs-script.js", import.meta.url), script),
  ]);
  const { html, contentSecurityPolicy } = docsPage(reference, {
    style: await readFile(new URL("./docs-style.css", import.meta.url), "utf8"),
    mode,
    componentPath: component.path,
    componentStylePath: componentStyle.path,
    scriptPath: pageScript.path,
  });
  const page = textRoute("/docs", html, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy,
    "Referrer-Policy": "no-referrer",
  });
  return [page, component, componentStyle, pageScript];
}

async function fileRoute(name: string, file: URL | string, type: string): Promise<PublicRoute> {
  const load = () => readFile(new URL(file));
  const hash = contentHash(await load());
  const headers = { "Content-Type": type, "Cache-Control": forever };
  return { path: `/docs/${hash}/${name}`, answer: serveContent(hash, headers, load) };
}

function textRoute(path: string, text: string, headers: Headers): PublicRoute {
  const bytes = Buffer.from(text);
  const all = { "Cache-Control": revalidate, ...headers };
  return { path, answer: serveContent(contentHash(bytes), all, async () => bytes) };
}

/** A path that is answered without a key, outside `/api/v1`. */
export type PublicRoute = {
  readonly path: string;
  /** Asked for by balancers, whose address may be that of many merchants: never limited. */
  readonly isProbe?: boolean;
  readonly answer: (ctx: RouterContext) => Promise<PageAnswer>;
};

type Headers = Readonly<Record<string, string>>;

/** 1.7 MB take 0.1 s at 9 and 1.2 s at 10, for 7 % less. */
const brotliQuality = 9;

const compress = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
};

/** The shortest first. */
const encodings = ["br", "gzip"] as const;

/** The first digits of a content's SHA-256: it names one version of it. */
function contentHash(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
}

/**
 * Serves content with an `ETag`, compressed as the caller accepts it. The compressed bytes are
 * cached at the first request; the uncompressed ones are rarely needed.
 */
function serveContent(
  hash: string,
  headers: Headers,
  load: () => Promise<Buffer>,
): PublicRoute["answer"] {
  const kept = new Map<keyof typeof compress, Promise<Buffer>>();
  const compressed = (encoding: keyof typeof compress) => {
    const before = kept.get(encoding);
    if (before !== undefined) return before;
    const now = load().then(compress[encoding]);
    kept.set(encoding, now);
    now.catch(() => kept.delete(encoding));
    return now;
  };
  return async (ctx) => {
    // One by one: of several that it likes equally, a browser names gzip first.
    const encoding = encodings.find((each) => ctx.acceptsEncodings(each) === each);
    const shown = {
      ...headers,
      ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
      ETag: `"${hash}-${encoding ?? "identity"}"`,
      Vary: "Accept-Encoding",
    };
    // Koa compares the ETag of an answer that is a success.
    ctx.status = 200;
    ctx.set("ETag", shown.ETag);
    const isKnown = ctx.fresh;
    ctx.remove("ETag");
    if (isKnown) return { status: 304, headers: shown, body: "" };
    const body = await (encoding === undefined ? load() : compressed(encoding));
    return { status: 200, headers: shown, body };
  };
}
