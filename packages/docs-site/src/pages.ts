import {
  type Content,
  type Contract,
  type Endpoint,
  endpointsOf,
  type Operation,
  parametersOf,
  type Refusal,
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")];
}

const fieldTable = (fields: readonly Field[]) =>
  table(
    ["field", "type", "description"],
    fields.map(({ name, type, text }) => [`\`${name}\``, type, text]),
  );

const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
const json = (value: Json) => code("json", JSON.stringify(value, null, 2));
const details = (summary: string, text: string) =>
  `<details>\n<summary>${summary}</summary>\n\n${text}\n\n</details>`;

/** Returns the name of an example as a title: `Fiat beneficiary usd individual ach`. */
const titleOf = (name: string) => {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** Writes the page of each operation. */
export function operationPages(contract: Contract): Page[] {
  return endpointsOf(contract).map((endpoint) => {
    const { method, path, its } = endpoint;
    const parts = [
      `\`${method} ${path}\``,
      its.description,
      ...parameterParts(its, contract),
      ...bodyParts(its.requestBody?.content["application/json"], contract),
      ...csvParts(its.requestBody?.content["text/csv"]),
      ...(path.startsWith("/api/") ? sampleParts(sampleRequest(endpoint, contract)) : []),
      ...responseParts(endpoint, contract),
    ];
    return {
      path: `operations/${slugOf(its.operationId)}`,
      title: its.summary,
      text: parts.join("\n\n"),
      group: its.tags[0] ?? "",
    };
  });
}

function parameterParts(operation: Operation, contract: Contract): string[] {
  const { schemas } = contract.components;
  const rows = parametersOf(operation, contract)
    .toSorted((one, two) => Number(two.required === true) - Number(one.required === true))
    .map(({ name, in: place, required, schema, description = "" }) => {
      const text = `${required ? "Required. " : ""}${description}`;
      return [`\`${name}\``, place, typeOf(schema, schemas), text];
    });
  const shown = table(["parameter", "in", "type", "description"], rows);
  return rows.length === 0 ? [] : ["## Parameters", ...shown];
}

/** Shows the required fields of each form with a minimal and a full body, then all fields. */
function bodyParts(content: Content | undefined, { components }: Contract): string[] {
  const { schemas } = components;
  if (content?.examples === undefined) return [];
  const { schema } = content;
  const examples = Object.entries(content.examples);
  const forms = examples.flatMap(([name, { value }]) => {
    const minimal = minimalOf(schema, value, schemas);
    const required = new Set(namesIn(minimal));
    const fields = fieldsOf(formOf(schema, value, schemas), schemas);
    const shown = fieldTable(fields.filter((field) => required.has(field.name)));
    return [
      ...(examples.length === 1 ? [] : [`### ${titleOf(name)}`]),
      ...(shown.length === 0 ? ["No field is required."] : ["Required fields:", ...shown]),
      "Minimal body:",
      json(minimal),
      details("Body with all fields", json(value)),
    ];
  });
  return [
    "## Body",
    ...forms,
    "## All fields of the body",
    ...fieldTable(fieldsOf(schema, schemas)),
  ];
}

function csvParts(content: Content | undefined): string[] {
  const [example] = Object.values(content?.examples ?? {});
  return example === undefined ? [] : ["## Body as CSV", code("csv", String(example.value))];
}

/** Shows one language at a time: a browser closes the others of the same name. */
function sampleParts(request: SampleRequest): string[] {
  const texts = languages.map(({ title, name, sample }, at) => {
    const text = details(title, code(name, sample(request)));
    return text.replace("<details", `<details name="samples"${at === 0 ? " open" : ""}`);
  });
  return ["## Samples", ...texts];
}

function responseParts({ its }: Endpoint, contract: Contract): string[] {
  const { success, refusals } = responsesOf(its, contract);
  const [[type, content] = ["", undefined]] = Object.entries(success?.content ?? {});
  const [example] = Object.values(content?.examples ?? {});
  const shown = example === undefined ? [] : [exampleOf(type, example.value)];
  const fields = content === undefined ? [] : fieldsOf(content.schema, contract.components.schemas);
  const rows = refusals.map(({ status, code: name, message }) => [
    status,
    errorLink(name),
    message,
  ]);
  return [
    "## Response",
    `\`200\` ${success?.description ?? ""}`,
    ...fieldTable(fields),
    ...shown,
    ...(rows.length === 0 ? [] : ["## Errors"]),
    ...table(["status", "code", "message"], rows),
  ];
}

function exampleOf(type: string, value: Json): string {
  if (typeof value !== "string") return json(value);
  const language = type.split("/").at(-1) ?? "";
  return code(language === "pdf" ? "text" : language, value);
}

/** Writes the page of each webhook event. */
export function eventPages(contract: Contract): Page[] {
  const { schemas } = contract.components;
  return Object.entries(contract.webhooks).map(([name, { post }]) => {
    const content = post.requestBody?.content["application/json"];
    const [example] = Object.values(content?.examples ?? {});
    const parts = [
      post.summary,
      post.description,
      "[Webhooks](/docs/webhooks) explains endpoints, order, retries and signatures.",
      "## Body",
      ...fieldTable(content === undefined ? [] : fieldsOf(content.schema, schemas)),
      ...(example === undefined ? [] : [json(example.value)]),
      ...parameterParts(post, contract).map((part) => part.replace("## Parameters", "## Headers")),
    ];
    const path = `events/${slugOf(name)}`;
    return { path, title: name, text: parts.join("\n\n"), group: "Events" };
  });
}

/** The tables of docs/errors.md and docs/testing.md that explain an error code. */
export type ErrorTables = {
  /** The meaning of each code. */
  readonly meanings: ReadonlyMap<string, string>;
  /** The steps that bring about each code in the sandbox. */
  readonly triggers: ReadonlyMap<string, string>;
};

/** Writes the page of each error code. */
export function errorPages(contract: Contract, { meanings, triggers }: ErrorTables): Page[] {
  const found = new Map<string, Refusal & { readonly from: Operation[] }>();
  for (const { its } of endpointsOf(contract)) {
    for (const refusal of responsesOf(its, contract).refusals) {
      const { from } = found.get(refusal.code) ?? { from: [] };
      found.set(refusal.code, { ...refusal, from: [...from, its] });
    }
  }
  const codes = new Set([...meanings.keys(), ...found.keys()]);
  return [...codes].map((name) => {
    const { status, message, from = [] } = found.get(name) ?? {};
    const trigger = triggers.get(name);
    const parts = [
      ...(status === undefined ? [] : [`Status \`${status}\`: ${message}`]),
      meanings.get(name) ?? "",
      "[Errors](/docs/errors#trying-again) has what to do for each status.",
      ...(trigger === undefined ? [] : ["## Trigger in the sandbox", trigger]),
      ...(from.length === 0
        ? []
        : ["## Operations", from.map((each) => `- ${operationLink(each)}`).join("\n")]),
    ];
    const path = `errors/${slugOf(name)}`;
    return { path, title: name, text: parts.join("\n\n"), group: "Error codes" };
  });
}
