import { readFile } from "node:fs/promises";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { Mode } from "../keys/rules/key.ts";
import { withStringAmounts } from "../openapi/string-amounts.ts";
import { docsPages, type Guide, type Reference } from "./docs/page.ts";
import { fileRoute, type PublicRoute, textRoute } from "./static.ts";

const script = "text/javascript; charset=utf-8";
const style = "text/css; charset=utf-8";
const json = "application/json; charset=utf-8";

const here = (name: string) => new URL(`./docs/${name}`, import.meta.url);

export type PublicRouteDeps = {
  /** Returns true while the gateway can serve requests. */
  readonly isReady: () => Promise<boolean>;
  readonly reference: JsonSchema;
  readonly mode: Mode;
  /** Returns the public keys for verifying receipts. */
  readonly receiptKeys: () => readonly object[];
};

const toDocs: Answer = { status: 302, headers: { Location: "/docs" }, body: "" };

/**
 * Builds the routes outside `/api/v1`: the probes, the OpenAPI document and its pages. `/` and
 * `/docs/` redirect to the pages.
 */
export async function publicRoutes({
  isReady,
  reference,
  mode,
  receiptKeys,
}: PublicRouteDeps): Promise<readonly PublicRoute[]> {
  const status = (code: number, body: object): Answer => {
    return { status: code, headers: {}, body: JSON.stringify(body) };
  };
  return [
    ...["/", "/docs/"].map((path) => ({ path, answer: async () => toDocs })),
    {
      path: "/.well-known/disburse-keys.json",
      answer: async () => status(200, { keys: receiptKeys() }),
    },
    textRoute("/openapi.json", JSON.stringify(reference), {}),
    textRoute("/openapi-strings.json", JSON.stringify(withStringAmounts(reference)), {}),
    { path: "/healthz", isProbe: true, answer: async () => status(200, { status: "ok" }) },
    {
      path: "/readyz",
      isProbe: true,
      answer: async () =>
        (await isReady()) ? status(200, { status: "ready" }) : status(503, { status: "not ready" }),
    },
    ...(await docsRoutes(reference, mode)),
  ];
}

/**
 * Builds the routes of `/docs`: the guides and the files that the pages load. The pages contact no
 * other origin.
 */
async function docsRoutes(reference: object, mode: Mode): Promise<readonly PublicRoute[]> {
  const [component, componentStyle, finder, samples, search, referenceScript, pageScript] =
    await Promise.all([
      fileRoute(
        "component.js",
        import.meta.resolve("swagger-ui-dist/swagger-ui-bundle.js"),
        script,
      ),
      fileRoute("component.css", import.meta.resolve("swagger-ui-dist/swagger-ui.css"), style),
      fileRoute("finder.js", new URL("../umd/index.js", import.meta.resolve("minisearch")), script),
      fileRoute("samples.json", here("gen/samples.json"), json),
      fileRoute("search.json", here("gen/search.json"), json),
      fileRoute("reference.js", new URL("./docs/reference.js", import.meta.url), script),
      fileRoute("page.js", new URL("./docs/page.js", import.meta.url), script),
    ]);
  const pages = docsPages(reference as Reference, await guides(), {
    style: await readFile(here("style.css"), "utf8"),
    mode,
    paths: {
      component: component.path,
      componentStyle: componentStyle.path,
      finder: finder.path,
      samples: samples.path,
      search: search.path,
      reference: referenceScript.path,
      page: pageScript.path,
    },
  });
  const routes = pages.map(({ path, html, contentSecurityPolicy }) =>
    textRoute(path, html, {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": contentSecurityPolicy,
      "Referrer-Policy": "no-referrer",
    }),
  );
  // Merchants test their webhook verification with these vectors.
  const vectors = await readFile(here("gen/webhook-vectors.json"), "utf8");
  const vectorsRoute = textRoute("/docs/webhook-vectors.json", vectors, { "Content-Type": json });
  const files = [component, componentStyle, finder, samples, search, referenceScript, pageScript];
  return [...routes, vectorsRoute, ...files];
}

async function guides(): Promise<readonly Guide[]> {
  return JSON.parse(await readFile(here("gen/guides.json"), "utf8")) as readonly Guide[];
}
