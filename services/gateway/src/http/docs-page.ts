import { createHash } from "node:crypto";
import type { Mode } from "../keys/rules/key.ts";

/** The parts of the OpenAPI document that the page shows; the component shows the rest. */
export type Reference = {
  readonly info: Readonly<Record<"title" | "summary" | "description", string>>;
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

/** What the page is made of beside the document. */
export type DocsPageParts = {
  /** CSS of the page itself, which is inlined so that it paints at once. */
  readonly style: string;
  readonly mode: Mode;
  readonly componentPath: string;
  readonly componentStylePath: string;
  readonly scriptPath: string;
};

/** Under this tag the component shows webhooks, whatever tags they have. */
const webhooksTag = "webhooks";

/**
 * The page: title, introduction and an index of every operation, painted before any script has
 * run; then the script lets the component show the operations.
 */
export function docsPage(
  reference: Reference,
  parts: DocsPageParts,
): { html: string; contentSecurityPolicy: string } {
  const { info } = reference;
  const [opening = ""] = info.description.split("\n\n");
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(info.title)} API reference</title>
<link rel="icon" href="data:,">
<style>${parts.style}</style>
<link rel="preload" href="${parts.componentPath}" as="script">
<script src="${parts.scriptPath}" defer data-component="${parts.componentPath}"
 data-mode="${parts.mode}"></script>
</head>
<body>
<nav class="index" aria-label="Operations">
<details open>
<summary>${escaped(info.title)}</summary>
${index(reference)}
</details>
</nav>
<main>
<div id="reference">
<h1>${escaped(info.title)}</h1>
<p>${escaped(info.summary)}</p>
<p>${escaped(opening)}</p>
<p class="loading">The operations follow.</p>
<noscript><p>They are shown by a script. Without one, read
<a href="/openapi.json">/openapi.json</a>.</p></noscript>
</div>
</main>
<link rel="stylesheet" href="${parts.componentStylePath}">
</body>
</html>
`;
  return { html, contentSecurityPolicy: contentSecurityPolicy(parts.style) };
}

/** Nothing from elsewhere, nothing to elsewhere, in no frame, and no style but our own. */
function contentSecurityPolicy(style: string): string {
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
    const href = `#/${encodeURIComponent(tag)}/${encodeURIComponent(operationId)}`;
    const verb = `<span class="method ${method}">${method.toUpperCase()}</span>`;
    return `<li><a href="${href}">${escaped(summary)} ${verb}</a></li>`;
  });
  return `<h2>${escaped(title)}</h2>\n<ul>\n${links.join("\n")}\n</ul>`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
}
