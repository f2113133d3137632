import { existsSync, readFileSync } from "node:fs";
import { refused } from "@disburse/kernel/refusal.ts";
import { refusalAnswer } from "./answer.ts";
import { builtFolder } from "./built-folder.ts";
import type { RouterContext } from "./observe.ts";
import { type PublicRoute, textRoute } from "./static.ts";

/**
 * Each page carries a policy with the hashes of its scripts. A policy in the page can't forbid
 * frames, so the header does.
 */
const headers = {
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
};

/** A checkout has this page; an image has the built documentation instead. */
const firstPayout = new URL("../../../../docs/tutorials/first-payout.md", import.meta.url);
const firstPayoutPath = "tutorials/first-payout.md";

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Disburse documentation</title>
<h1>Disburse</h1>
<p>The documentation is not built yet. After the start of a sandbox it takes about a minute.</p>
<ul>
<li><a href="/docs/${firstPayoutPath}">A first payout</a></li>
<li><a href="/openapi.json">/openapi.json</a>, the contract</li>
<li><a href="/llms.txt">/llms.txt</a>, the pages for language models</li>
</ul>
`;

/** Answers while the documentation is not built, by the path in the build. */
function withoutBuild(): ReadonlyMap<string, PublicRoute["answer"]> {
  const policy = "default-src 'none'; frame-ancestors 'none'";
  const html = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy };
  const plain = { "Content-Type": "text/plain; charset=utf-8" };
  const index = `# Disburse\n\n- [A first payout](/docs/${firstPayoutPath})\n- [Contract](/openapi.json)\n`;
  const text = existsSync(firstPayout) ? readFileSync(firstPayout, "utf8") : index;
  return new Map([
    ["index.html", textRoute("", page, html).answer],
    [firstPayoutPath, textRoute("", text, plain).answer],
    ["llms.txt", textRoute("", index, plain).answer],
  ]);
}

/** Builds the routes of `/docs` and of the texts for language models. */
export function docsRoutes(folder: string): readonly PublicRoute[] {
  const current = builtFolder({ folder, hashed: "_astro/", headers });
  const missing = withoutBuild();
  const answer = async (ctx: RouterContext) => {
    const name = ctx.path.replaceAll(/^\/(?:docs\/?)?|\/$/g, "");
    const files = (await current()) ?? missing;
    const file = files.get(name) ?? files.get(name === "" ? "index.html" : `${name}/index.html`);
    return file === undefined ? refusalAnswer(refused("ROUTE_NOT_FOUND")) : file(ctx);
  };
  return ["/docs", "/docs/{*file}", "/llms.txt", "/llms-full.txt"].map((path) => {
    return { path, answer };
  });
}
