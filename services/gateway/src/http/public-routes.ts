import { readFile } from "node:fs/promises";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { Mode } from "../keys/rules/api-key.ts";
import { contentHash, type PublicRoute, serveContent } from "./content.ts";
import { docsPage, type Reference } from "./docs-page.ts";

/** The page says by its hash which version of a file it wants, so that one never changes. */
const forever = "public, max-age=31536000, immutable";
/** A page that was kept is asked about each time, and hardly ever sent again. */
const revalidate = "no-cache";

const script = "text/javascript; charset=utf-8";
const style = "text/css; charset=utf-8";

/** What is served without a key. */
export type PublicRouteDeps = {
  readonly metrics: Metrics;
  /** Whether each dependency of the gateway answers now, by name. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  /** The OpenAPI document. */
  readonly reference: object;
  readonly mode: Mode;
};

/** Every route outside `/api/v1`: probes, metrics, the OpenAPI document and its page. */
export async function publicRoutes(deps: PublicRouteDeps): Promise<readonly PublicRoute[]> {
  return [...operationalRoutes(deps), ...(await docsRoutes(deps))];
}

/**
 * `/docs` and the files that it loads. All of it comes from this process; the page may load from,
 * and send to, no other.
 */
async function docsRoutes({
  reference,
  mode,
}: Pick<PublicRouteDeps, "reference" | "mode">): Promise<readonly PublicRoute[]> {
  const [component, componentStyle, pageScript] = await Promise.all([
    fileRoute("component.js", import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"), script),
    fileRoute("component.css", import.meta.resolve("swagger-ui-dist/swagger-ui.css"), style),
    fileRoute("page.js", new URL("./docs-script.js", import.meta.url), script),
  ]);
  const { html, contentSecurityPolicy } = docsPage(reference as Reference, {
    style: await readFile(new URL("./docs-style.css", import.meta.url), "utf8"),
    mode,
    componentPath: component.path,
    componentStylePath: componentStyle.path,
    scriptPath: pageScript.path,
  });
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": revalidate,
    "Content-Security-Policy": contentSecurityPolicy,
    "Referrer-Policy": "no-referrer",
  };
  const bytes = Buffer.from(html);
  const page = serveContent(contentHash(bytes), { headers, load: async () => bytes });
  return [{ path: "/docs", answer: page }, component, componentStyle, pageScript];
}

async function fileRoute(name: string, file: URL | string, type: string): Promise<PublicRoute> {
  const load = () => readFile(new URL(file));
  const hash = contentHash(await load());
  const headers = { "Content-Type": type, "Cache-Control": forever };
  return { path: `/docs/${hash}/${name}`, answer: serveContent(hash, { headers, load }) };
}

function status(code: number, body: object): Answer {
  return { status: code, headers: {}, body: JSON.stringify(body) };
}

function openApi(reference: object): PublicRoute["answer"] {
  const bytes = Buffer.from(JSON.stringify(reference));
  const headers = { "Cache-Control": "no-cache" };
  return serveContent(contentHash(bytes), { headers, load: async () => bytes });
}

function operationalRoutes({
  metrics,
  readiness,
  reference,
}: PublicRouteDeps): readonly PublicRoute[] {
  return [
    { path: "/openapi.json", answer: openApi(reference) },
    { path: "/healthz", answer: async () => status(200, { status: "ok" }) },
    {
      path: "/readyz",
      answer: async () => {
        const dependencies = await readiness();
        return Object.values(dependencies).every(Boolean)
          ? status(200, { status: "ready" })
          : status(503, { status: "not ready", dependencies });
      },
    },
    {
      path: "/metrics",
      answer: async () => ({
        status: 200,
        headers: { "Content-Type": metrics.contentType },
        body: await metrics.text(),
      }),
    },
  ];
}
