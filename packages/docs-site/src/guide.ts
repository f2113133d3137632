import { Marked, type Token, type Tokens } from "marked";
import { assignmentLines, readCurlBlock } from "./curl-command.ts";
import type { ReferenceOperation } from "./reference.ts";
import { originMark, variablesOf } from "./request.ts";
import { languages, type Sample, sampleOf } from "./samples.ts";

export type Guide = {
  readonly slug: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly GuideSection[];
};

/** A section of a guide, with its heading's title and anchor. */
export type GuideSection = { readonly id: string; readonly title: string; readonly text: string };

/** Paths of the files that `/docs` serves; links to other files become plain text. */
const served: Readonly<Record<string, string>> = {
  "openapi.json": "/docs",
  "webhooks.md": "/docs/webhooks",
  "webhooks-python.md": "/docs/webhooks-python",
  "webhooks-go.md": "/docs/webhooks-go",
  "webhooks-java.md": "/docs/webhooks-java",
  "webhook-vectors.json": "/docs/webhook-vectors.json",
  "errors.md": "/docs/errors",
  "testing.md": "/docs/testing",
};

/** Renders a guide; each curl request becomes a sample with one tab per language. */
export function guideOf(
  slug: string,
  markdown: string,
  operations: readonly ReferenceOperation[],
): Guide {
  const known: Record<string, string> = {};
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text, lang = "" }) => codeFigure(text, lang, operations, known),
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const [file = "", anchor] = href.split("#");
        const page = served[file];
        const inside = anchor === undefined ? page : page && `${page}#${anchor}`;
        const address = /^(?:https:|\/|#)/.test(href) ? href : inside;
        return address === undefined ? inner : `<a href="${escaped(address)}">${inner}</a>`;
      },
      html: ({ text }) => escaped(text),
    },
  });
  const tokens = marked.lexer(markdown);
  const html = marked
    .parser(tokens)
    .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  const sections = sectionsOf(tokens);
  return { slug, title: sections[0]?.title ?? slug, html, sections };
}

function codeFigure(
  text: string,
  lang: string,
  operations: readonly ReferenceOperation[],
  known: Record<string, string>,
): string {
  const block = lang === "sh" ? readCurlBlock(text, operations) : undefined;
  if (block === undefined) return figure([["", text]]);
  Object.assign(known, block.assignments);
  const request = { ...block.request, variables: known };
  for (const name of variablesOf(request)) {
    if (known[name] === undefined)
      throw new Error(`a guide uses the variable $${name} before it is set`);
  }
  const sample = sampleOf(request, assignmentLines(block.assignments));
  return figure(Object.entries(sample));
}

function figure(texts: readonly (readonly [language: string, text: string])[]): string {
  const tabs = texts.map(
    ([language], at) =>
      `<button type="button" data-language="${language}" aria-pressed="${at === 0}">${languages[language as keyof Sample] ?? ""}</button>`,
  );
  const group = `<div class="languages" role="group" aria-label="Language">${tabs.join("")}</div>`;
  const codes = texts.map(
    ([language, text], at) =>
      `<pre data-language="${language}" tabindex="0"${at === 0 ? "" : " hidden"}><code>${shown(text)}</code></pre>`,
  );
  return `<figure class="sample">${texts.length > 1 ? group : ""}<button type="button" class="copy">Copy</button>${codes.join("")}</figure>\n`;
}

/** The sandbox's default origin. The page's script replaces it with the page's own origin. */
const sandboxOrigin = "http://127.0.0.1:8080";

function shown(text: string): string {
  return escaped(text).replaceAll(originMark, `<span class="origin">${sandboxOrigin}</span>`);
}

function sectionsOf(tokens: readonly Token[]): GuideSection[] {
  const sections: { id: string; title: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === "heading") {
      const { text } = token as Tokens.Heading;
      sections.push({ id: anchorOf(text), title: plain(text), text: "" });
      continue;
    }
    const last = sections.at(-1);
    if (last !== undefined) last.text = `${last.text} ${plain(token.raw)}`.trim();
  }
  return sections;
}

/** Strips Markdown syntax, for the search index. */
function plain(text: string): string {
  return text
    .replaceAll(/[`*|#>[\]()]|-{3,}|^```.*$/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Returns `once-in-order` for `Once, in order`. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .replaceAll(/^-|-$/g, "");
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
