import type { Document } from "@disburse/sdk/generator/document.ts";
import { type Guide, guideOf } from "./guide.ts";
import { type ReferenceOperation, referenceOperations, requestsOf } from "./reference.ts";
import { type Sample, sampleOf } from "./samples.ts";

/** Files of the guides, keyed by the last part of their URL; "" is `/docs` itself. */
export const guideFiles = {
  "": "services/gateway/src/openapi/introduction.md",
  webhooks: "docs/webhooks.md",
  "webhooks-python": "docs/webhooks-python.md",
  "webhooks-go": "docs/webhooks-go.md",
  "webhooks-java": "docs/webhooks-java.md",
  errors: "docs/errors.md",
  testing: "docs/testing.md",
} as const;

/** Markdown of the guides, by the last part of their URL. */
export type GuideTexts = Readonly<Record<keyof typeof guideFiles, string>>;

/** The content of `/docs` besides the reference. */
export type Site = {
  readonly guides: readonly Guide[];
  /** Samples by operation id, then by the name of the body's example. */
  readonly samples: Readonly<Record<string, Readonly<Record<string, Sample>>>>;
  readonly search: readonly SearchEntry[];
};

export type SearchEntry = {
  readonly id: number;
  readonly kind: "Guide" | "Operation";
  readonly title: string;
  readonly text: string;
  readonly href: string;
};

/** Builds the site from the reference and the guides. */
export function siteOf(document: Document, texts: GuideTexts): Site {
  const operations = referenceOperations(document);
  const guides = Object.entries(texts).map(([slug, text]) =>
    guideOf(slug, titled(slug, text), operations),
  );
  const samples = operations.map((each): [string, Record<string, Sample>] => {
    const its = requestsOf(each).map(([name, request]) => [name, sampleOf(request)] as const);
    return [each.id, Object.fromEntries(its)];
  });
  const entries = [...guides.flatMap(guideEntries), ...operations.map(operationEntry)];
  return {
    guides,
    samples: Object.fromEntries(samples),
    search: entries.map((entry, id) => ({ id, ...entry })),
  };
}

/** Adds a title to the introduction, which has none. */
function titled(slug: string, text: string): string {
  return slug === "" ? `# Disburse\n\n${text}` : text;
}

function guideEntries({ slug, title, sections }: Guide): Omit<SearchEntry, "id">[] {
  const page = slug === "" ? "/docs" : `/docs/${slug}`;
  return sections.map((each) => ({
    kind: "Guide",
    title: each.title === title ? title : `${title}: ${each.title}`,
    text: each.text,
    href: `${page}#${each.id}`,
  }));
}

function operationEntry({ id, method, path, described }: ReferenceOperation) {
  const tag = encodeURIComponent(described.tags[0] ?? "");
  const names = described.parameters?.flatMap(({ name }) => name ?? []) ?? [];
  const examples = described.requestBody?.content["application/json"]?.examples ?? {};
  const fields = Object.values(examples).flatMap(({ value }) => Object.keys(value));
  const words = [id, method, path, described.description, ...new Set([...names, ...fields])];
  return {
    kind: "Operation" as const,
    title: described.summary,
    text: words.join(" "),
    href: `/docs#/${tag}/${encodeURIComponent(id)}`,
  };
}
