import { type Document, nameOf } from "@disburse/sdk/generator/document.ts";

type Example = { readonly value: { readonly code?: string; readonly message?: string } };

type Responses = Readonly<Record<string, { readonly $ref?: string }>>;

type ErrorSchema = {
  readonly properties: Readonly<
    Record<
      string,
      {
        readonly anyOf?: readonly { readonly enum?: readonly string[] }[];
        readonly description?: string;
      }
    >
  >;
};

/**
 * Completes the error guide: adds a row from the reference for each code and reason without one.
 */
export function completedErrors(guide: string, document: Document): string {
  const { ApiError: error } = document.components.schemas as unknown as { ApiError: ErrorSchema };
  const { code, reason } = error.properties;
  const sentences = sentencesOf(document);
  const codes = (code?.anyOf?.[0]?.enum ?? []).flatMap((name) => {
    const found = sentences.get(name);
    return found === undefined ? [] : [`| \`${name}\` | ${found.status} | ${found.message} |`];
  });
  const meanings = [...(reason?.description ?? "").matchAll(/^- `(\w+)`: (.*)$/gm)];
  const reasons = meanings.map(([, name, text]) => `| \`${name}\` | see its code | ${text} |`);
  return withRows(withRows(guide, "Every code", codes), "Reasons", reasons);
}

function sentencesOf(document: Document) {
  const sentences = new Map<string, { status: string; message: string }>();
  const methods = Object.values(document.paths).flatMap((path) => Object.values(path));
  for (const { responses } of methods) {
    for (const [status, { $ref = "" }] of Object.entries(responses as Responses)) {
      const { content } = document.components.responses[nameOf($ref)] ?? {};
      const examples = content?.["application/json"]?.examples ?? {};
      for (const { value } of Object.values(examples as Readonly<Record<string, Example>>)) {
        const { code, message = "" } = value;
        if (code !== undefined) sentences.set(code, { status, message });
      }
    }
  }
  return sentences;
}

/** Adds rows to the table under a heading, except those whose name the table already contains. */
function withRows(guide: string, heading: string, rows: readonly string[]): string {
  const [before = "", after = ""] = guide.split(`## ${heading}\n`);
  const [section = "", ...others] = after.split(/(?=\n## )/);
  const missing = rows.filter((row) => !section.includes(row.split(" | ")[0] ?? row));
  if (missing.length === 0) return guide;
  const table = [section.trimEnd(), ...missing].join("\n");
  return `${before}## ${heading}\n${table}\n${others.join("")}`;
}
