import { createHash } from "node:crypto";
import type { Mode } from "../../keys/rules/key.ts";
import { escapeHtml } from "../rules/html.ts";

/**
 * The parts of the OpenAPI document that the pages show. The API reference component shows the
 * rest.
 */
export type Reference = {
  readonly info: Readonly<Record<"title" | "summary", string>>;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
};

type PathItem = Readonly<Record<string, ReferenceOperation>>;

type ReferenceOperation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
};

/** A guide from `gen/guides.json`. The guide without a slug is served at `/docs`. */
export type Guide = {
  readonly slug: string;
  readonly title: string;
  readonly html: string;
};

export type DocsParts = {
  /** The pages' CSS, inlined so that the first paint is fast. */
  readonly style: string;
  readonly mode: Mode;
  readonly paths: Readonly<
    Record<
      "component" | "componentStyle" | "finder" | "samples" | "search" | "reference" | "page",
      string
    >
  >;
};

/** A page with its content security policy. */
export type DocsPage = {
  readonly path: string;
  readonly html: string;
  readonly contentSecurityPolicy: string;
};

/** The API reference component shows all webhooks under this tag and ignores their own tags. */
const webhooksTag = "webhooks";

/**
 * Builds the documentation pages. Each page works without scripts and has an index of all guides
 * and operations. On the first page, a script loads the API reference component, which shows the
 * operations.
 */
export function docsPages(
  reference: Reference,
  guides: readonly Guide[],
  parts: DocsParts,
): DocsPage[] {
  return guides.map((guide) => {
    const html = pageHtml(guide, { reference, guides, parts });
    return { path: pathOf(guide), html, contentSecurityPolicy: policyFor(parts.style) };
  });
}

function pathOf({ slug }: Guide): string {
  return slug === "" ? "/docs" : `/docs/${slug}`;
}

type Frame = {
  readonly reference: Reference;
  readonly guides: readonly Guide[];
  readonly parts: DocsParts;
};

function pageHtml(guide: Guide, frame: Frame): string {
  const { reference, parts } = frame;
  const { paths } = parts;
  const name = escapeHtml(reference.info.title);
  const isFirst = guide.slug === "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${isFirst ? `${name} API reference` : `${escapeHtml(guide.title)} · ${name}`}</title>
<link rel="icon" href="data:,">
<style>${parts.style}</style>
<script src="${paths.page}" defer data-finder="${paths.finder}" data-search="${paths.search}"></script>
${isFirst ? referenceScripts(parts) : ""}</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${navigation(guide, frame)}
<main id="content" tabindex="-1">
<article>
${guide.html}</article>
${isFirst ? referencePart(parts) : ""}</main>
</body>
</html>
`;
}

function referenceScripts({ mode, paths }: DocsParts): string {
  return `<link rel="preload" href="${paths.component}" as="script">
<script src="${paths.reference}" defer data-component="${paths.component}"
 data-samples="${paths.samples}" data-mode="${mode}"></script>
`;
}

function referencePart({ paths }: DocsParts): string {
  return `<section aria-labelledby="operations">
<h2 id="operations">Operations</h2>
<div id="reference">
<p class="loading">The operations follow.</p>
<noscript><p>They are shown by a script. Without one, read
<a href="/openapi.json">/openapi.json</a>.</p></noscript>
</div>
</section>
<link rel="stylesheet" href="${paths.componentStyle}">
`;
}

function navigation(guide: Guide, { reference, guides }: Frame): string {
  const links = guides.map((each) => {
    const current = each === guide ? ' aria-current="page"' : "";
    const title = each.slug === "" ? "A first payout" : each.title;
    return `<li><a href="${pathOf(each)}"${current}>${escapeHtml(title)}</a></li>`;
  });
  return `<nav class="index" aria-label="Documentation">
<form role="search" class="search">
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="Search  /"
 aria-controls="found">
</form>
<p class="status" role="status"></p>
<ol id="found" hidden></ol>
<details open>
<summary>${escapeHtml(reference.info.title)}</summary>
<h2>Guides</h2>
<ul>
${links.join("\n")}
</ul>
${index(reference)}
</details>
</nav>`;
}

/** This policy allows only same-origin resources and the inlined style. It forbids frames. */
function policyFor(style: string): string {
  const hash = createHash("sha256").update(style).digest("base64");
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${hash}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function index({ tags, paths, webhooks }: Reference): string {
  const operations = Object.values(paths).flatMap(operationsOf);
  const sections = tags.flatMap(({ name }) => {
    const its = operations.filter(({ tags: [first] }) => first === name);
    return its.length === 0 ? [] : [section(name, name, its)];
  });
  const events = Object.values(webhooks).flatMap(operationsOf);
  return [...sections, section("Webhooks", webhooksTag, events)].join("\n");
}

type IndexEntry = ReferenceOperation & { readonly method: string };

function operationsOf(item: PathItem): IndexEntry[] {
  return Object.entries(item).map(([method, operation]) => ({ ...operation, method }));
}

function section(title: string, tag: string, entries: readonly IndexEntry[]): string {
  const links = entries.map(({ method, operationId, summary }) => {
    const href = `/docs#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
    const verb = `<span class="method ${method}">${method.toUpperCase()}</span>`;
    return `<li><a href="${href}">${escapeHtml(summary)} ${verb}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${links.join("\n")}\n</ul>`;
}
