import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Contract } from "./contract.ts";
import { addressOf, contractText, guidePages, servedFiles, tableOf } from "./guides.ts";
import { errorPages, eventPages, operationPages, type Page } from "./pages.ts";

/** Writes the Markdown of every page, the search data and the texts for language models. */

/** Astro copies this folder as it is too, so that each page has a Markdown version. */
const folder = join(import.meta.dirname, "content/docs");

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4"/></svg>`;

/** Groups that the sidebar shows closed. */
const closed = ["Sandbox", "Operational", "Events", "Error codes"];

/** Returns every page, in the order of the sidebar. */
export function pagesOf(contract: Contract): Page[] {
  const meanings = tableOf("docs/reference/errors.md", "Every code");
  const triggers = tableOf("docs/reference/test-values.md", "Error codes");
  const operations = operationPages(contract);
  const groups = contract.tags.map(({ name }) => name);
  return [
    ...guidePages(),
    ...operations.toSorted((one, two) => groups.indexOf(one.group) - groups.indexOf(two.group)),
    ...eventPages(contract),
    ...errorPages(contract, meanings, triggers),
  ];
}

/** Returns the first sentence of a page, as its description. */
function descriptionOf({ text }: Page): string {
  const words = plain(text.replace(/^`(?:GET|POST|PATCH|DELETE) [^`]*`\n/, ""));
  return (/^.*?\.(?= |$)/.exec(words)?.[0] ?? words).slice(0, 200);
}

/** Strips Markdown syntax and code blocks. */
function plain(text: string): string {
  return text
    .replaceAll(/^```.*?^```$/gms, " ")
    .replaceAll(/\]\([^)]*\)|<[^>]*>|[`*|#>[\]]|-{3,}/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

export type SearchEntry = {
  readonly id: number;
  readonly title: string;
  readonly group: string;
  readonly text: string;
  readonly href: string;
};

/** Returns what search finds: each section of a guide, and each other page with its words once. */
export function searchEntries(pages: readonly Page[]): SearchEntry[] {
  const entries = pages.flatMap(({ path, title, text, group }) => {
    const href = addressOf(path);
    if (/^(?:operations|events|errors)\//.test(path)) {
      const words = `${plain(text)} ${[...text.matchAll(/"(\w+)":/g)].map(([, name]) => name).join(" ")}`;
      return [{ title, group, text: [...new Set(words.split(" "))].join(" "), href }];
    }
    const [opening = "", ...sections] = text.split(/^#{2,3} /m);
    const ofSections = sections.map((each) => {
      const [heading = "", ...rest] = each.split("\n");
      const anchor = anchorOf(heading);
      const named = `${title}: ${plain(heading)}`;
      return { title: named, group, text: plain(rest.join("\n")), href: `${href}#${anchor}` };
    });
    return [{ title, group, text: plain(opening), href }, ...ofSections];
  });
  return entries.map((entry, id) => Object.assign({ id }, entry));
}

/** Returns the anchor that Starlight gives a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]+/gu, "")
    .replaceAll(" ", "-");
}

/** Returns the index of the Markdown versions for language models. */
function llmsIndex({ info }: Contract, pages: readonly Page[]): string {
  const groups = [...Map.groupBy(pages, ({ group }) => group)].map(([group, its]) => {
    const lines = its.map(
      (page) => `- [${page.title}](/docs/${page.path}.md): ${descriptionOf(page)}`,
    );
    return `## ${group}\n\n${lines.join("\n")}\n`;
  });
  return `# Disburse\n\n> ${info.summary} The contract is /openapi.json. All pages in one file: /llms-full.txt\n\n${groups.join("\n")}`;
}

function markdownOf(page: Page): string {
  const head = { title: page.title, description: descriptionOf(page) };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n${page.text}\n`;
}

/** Writes the site's files and returns the sidebar for Starlight. */
export function writeSite() {
  const contract = JSON.parse(contractText()) as Contract;
  const pages = pagesOf(contract);
  rmSync(folder, { recursive: true, force: true });
  const put = (name: string, text: string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  for (const page of pages) put(`${page.path}.md`, markdownOf(page));
  put("favicon.svg", icon);
  put("llms.txt", llmsIndex(contract, pages));
  put("llms-full.txt", pages.map(({ title, text }) => `# ${title}\n\n${text}\n`).join("\n"));
  put("search.json", JSON.stringify(searchEntries(pages)));
  for (const name of servedFiles) {
    put(name, readFileSync(join(import.meta.dirname, "../../../docs", name), "utf8"));
  }
  return [...Map.groupBy(pages, ({ group }) => group)].map(([label, its]) => ({
    label,
    collapsed: closed.includes(label),
    items: its.map(({ title, path }) => ({ label: title, slug: path })),
  }));
}
