import { readFile } from "node:fs/promises";
import type { Mode } from "../../keys/rules/key.ts";
import { fileRoute, type PublicRoute, textRoute } from "../static.ts";
import { docsPages, type Guide, type Reference } from "./page.ts";

const script = "text/javascript; charset=utf-8";
const style = "text/css; charset=utf-8";
const json = "application/json; charset=utf-8";

const here = (name: string) => new URL(`./${name}`, import.meta.url);

/**
 * `/docs`, its guides and the files that they load. All of it comes from this process; the pages
 * may load from, and send to, no other.
 */
export async function docsRoutes(reference: object, mode: Mode): Promise<readonly PublicRoute[]> {
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
      fileRoute("reference.js", new URL("./reference.js", import.meta.url), script),
      fileRoute("page.js", new URL("./page.js", import.meta.url), script),
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
  // Known answers, for a merchant's own verification of webhooks.
  const vectors = await readFile(here("gen/webhook-vectors.json"), "utf8");
  const answers = textRoute("/docs/webhook-vectors.json", vectors, { "Content-Type": json });
  const files = [component, componentStyle, finder, samples, search, referenceScript, pageScript];
  return [...routes, answers, ...files];
}

async function guides(): Promise<readonly Guide[]> {
  return JSON.parse(await readFile(here("gen/guides.json"), "utf8")) as readonly Guide[];
}
