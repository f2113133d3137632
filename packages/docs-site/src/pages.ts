import {
  type Content,
  type Contract,
  endpointsOf,
  type Operation,
  parametersOf,
  responsesOf,
  sampleRequest,
} from "./contract.ts";
import { type Field, fieldsOf, formOf, minimalOf, namesIn, typeOf } from "./fields.ts";
import { type Json, languages, type SampleRequest } from "./samples.ts";

/** A page; `path` is its file in the site, without the extension. */
export type Page = {
  readonly path: string;
  readonly title: string;
  readonly text: string;
  readonly group: string;
};

/** Returns `execute-payout` for `executePayout`, and `insufficient-balance` for an error code. */
export function slugOf(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase();
}

const operationLink = ({ summary, operationId }: Operation) =>
  `[${summary}](/docs/operations/${slugOf(operationId)})`;
const errorLink = (code: string) => `[\`${code}\`](/docs/errors/${slugOf(code)})`;

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll(/\s*\n+(?:- )?/g, " ");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const lines = [line(head), line(head.map(() => "---")), ...rows.map(line)];
  return rows.length === 0 ? "" : lines.join("\n");
}

const fieldTable = (fields: readonly Field[]) =>
  table(
    ["field", "type", "description"],
    fields.map(({ name, type, text }) => [`\`${name}\``, type, text]),
  );

const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: Json) => code("json", JSON.stringify(value, null, 2));
const details = (summary: string, text: string, attributes = "") =>
  `<details${attributes}>\n<summary>${summary}</summary>\n\n${text}\n\n</details>`;

/** Joins the parts that a page has. */
const joined = (parts: readonly (string | undefined)[]) => parts.filter(Boolean).join("\n\n");

/** Returns the name of an example as a title: `Fiat beneficiary usd individual ach`. */
const titleOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");

/** Writes the page of each operation. */
export function operationPages(contract: Contract): Page[] {
  return endpointsOf(contract).map((endpoint) => {
    const { method, path, its } = endpoint;
    const { "application/json": body, "text/csv": csv } = its.requestBody?.content ?? {};
    const [example] = Object.values(csv?.examples ?? {});
    const text = joined([
      `\`${method} ${path}\``,
      its.description,
      parameterPart("Parameters", its, contract),
      body?.examples && bodyPart(body, contract),
      example && `## Body as CSV\n\n${code("csv", String(example.value))}`,
      path.startsWith("/api/") ? samplePart(sampleRequest(endpoint, contract)) : "",
      responsePart(its, contract),
    ]);
    const group = its.tags[0] ?? "";
    return { path: `operations/${slugOf(its.operationId)}`, title: its.summary, text, group };
  });
}

function parameterPart(title: string, operation: Operation, contract: Contract): string {
  const rows = parametersOf(operation, contract)
    .toSorted((one, two) => Number(two.required === true) - Number(one.required === true))
    .map(({ name, in: place, required, schema, description = "" }) => {
      const text = `${required ? "Required. " : ""}${description}`;
      return [`\`${name}\``, place, typeOf(schema, contract.components.schemas), text];
    });
  const shown = table(["parameter", "in", "type", "description"], rows);
  return shown && `## ${title}\n\n${shown}`;
}

/** Shows the required fields of each form with a minimal and a full body, then all fields. */
function bodyPart({ schema, examples = {} }: Content, { components }: Contract): string {
  const { schemas } = components;
  const forms = Object.entries(examples).map(([name, { value }]) => {
    const minimal = minimalOf(schema, value, schemas);
    const required = new Set(namesIn(minimal));
    const fields = fieldsOf(formOf(schema, value, schemas), schemas);
    const shown = fieldTable(fields.filter((field) => required.has(field.name)));
    const title = Object.keys(examples).length > 1 ? `### ${titleOf(name)}` : "";
    const intro = shown ? "Required fields:" : "No field is required.";
    const full = details("Body with all fields", json(value));
    return joined([title, intro, shown, "Minimal body:", json(minimal), full]);
  });
  const all = fieldTable(fieldsOf(schema, schemas));
  return joined(["## Body", ...forms, "## All fields of the body", all]);
}

/** Shows one language at a time: a browser closes the others of the same name. */
function samplePart(request: SampleRequest): string {
  const texts = languages.map(({ title, name, sample }, at) =>
    details(title, code(name, sample(request)), ` name="samples"${at === 0 ? " open" : ""}`),
  );
  return joined(["## Samples", ...texts]);
}

function responsePart(operation: Operation, contract: Contract): string {
  const { success, refusals } = responsesOf(operation, contract);
  const rows = refusals.map((each) => [each.status, errorLink(each.code), each.message]);
  return joined([
    "## Response",
    `\`200\` ${success?.description ?? ""}`,
    contentPart(success?.content, contract),
    rows.length > 0 ? "## Errors" : "",
    table(["status", "code", "message"], rows),
  ]);
}

/** Shows the fields and the example of a body. */
function contentPart(contents: Record<string, Content> = {}, { components }: Contract): string {
  const [[type, content] = ["", undefined]] = Object.entries(contents);
  const [example] = Object.values(content?.examples ?? {});
  const value = example?.value;
  const language = /pdf|png/.test(type) ? "text" : type.replace(/.*\//, "");
  return joined([
    content && fieldTable(fieldsOf(content.schema, components.schemas)),
    value === undefined || typeof value === "string" ? value && code(language, value) : json(value),
  ]);
}

/** Writes the page of each webhook event. */
export function eventPages(contract: Contract): Page[] {
  return Object.entries(contract.webhooks).map(([name, { post }]) => {
    const text = joined([
      post.summary,
      post.description,
      "[Webhooks](/docs/webhooks) explains endpoints, order, retries and signatures.",
      "## Body",
      contentPart(post.requestBody?.content, contract),
      parameterPart("Headers", post, contract),
    ]);
    return { path: `events/${slugOf(name)}`, title: name, text, group: "Events" };
  });
}

type Rows = ReadonlyMap<string, string>;

/** Writes the page of each error code, with its meaning and its trigger in the sandbox. */
export function errorPages(contract: Contract, meanings: Rows, triggers: Rows): Page[] {
  const all = endpointsOf(contract).flatMap(({ its }) =>
    responsesOf(its, contract).refusals.map((refusal) => ({ ...refusal, its })),
  );
  const byCode = Map.groupBy(all, (each) => each.code);
  return [...new Set([...meanings.keys(), ...byCode.keys()])].map((name) => {
    const from = byCode.get(name) ?? [];
    const trigger = triggers.get(name);
    const text = joined([
      from[0] && `Status \`${from[0].status}\`: ${from[0].message}`,
      meanings.get(name),
      "[Errors](/docs/errors#trying-again) has what to do for each status.",
      trigger && `## Trigger in the sandbox\n\n${trigger}`,
      from[0] && "## Operations",
      from.map(({ its }) => `- ${operationLink(its)}`).join("\n"),
    ]);
    return { path: `errors/${slugOf(name)}`, title: name, text, group: "Error codes" };
  });
}
