import { type Document, nameOf, type Operation, operationsOf } from "./document.ts";
import { bodyType, capitalized, comment, typesSource } from "./types.ts";

/** Operations whose resource name differs from their tag. */
const resourceOf: Readonly<Record<string, string>> = {
  listCorridors: "Corridors",
  getReceiptKeys: "Receipts",
};

const words = (text: string): string[] => text.match(/[A-Z]?[a-z0-9]+/g) ?? [];
const stem = (word: string): string =>
  word.toLowerCase().replace(/ies$/, "y").replace(/ches$/, "ch").replace(/s$/, "");

/**
 * Returns an operation's place in the client. The tag gives the resource; the words of the id that
 * aren't in the tag give the method: `createCryptoBeneficiary` becomes
 * `beneficiaries.createCrypto`.
 */
export function placeOf({ id, tag }: Pick<Operation, "id" | "tag">): {
  readonly resource: string;
  readonly method: string;
} {
  const noun = words(resourceOf[id] ?? tag);
  const [verb = "", ...rest] = words(id);
  const others = rest.filter((word) => !noun.some((each) => stem(each) === stem(word)));
  return {
    resource: noun
      .map((word, index) => (index === 0 ? word.toLowerCase() : capitalized(word)))
      .join(""),
    method: [verb, ...others].join(""),
  };
}

type Page = { readonly records: string; readonly item: string };

/** Returns the list field and item type of a page, or `undefined` for other responses. */
export function pageOf({ answer }: Operation, { components }: Document): Page | undefined {
  if (answer.kind !== "data") return undefined;
  const { $ref } = answer.schema;
  const schema = $ref === undefined ? answer.schema : components.schemas[nameOf($ref)];
  const { meta_data, ...rest } = schema?.properties ?? {};
  const [list] = Object.entries(rest);
  if (meta_data === undefined || list === undefined) return undefined;
  const [records, { items }] = list;
  if (items?.$ref === undefined) throw new Error(`the items of ${records} have no named schema`);
  return { records, item: nameOf(items.$ref) };
}

/** Generates the resource classes with one method per operation. */
function resourcesSource(document: Document, operations: readonly Operation[]): string {
  const resources = new Map<string, Operation[]>();
  for (const each of operations) {
    const { resource } = placeOf(each);
    resources.set(resource, [...(resources.get(resource) ?? []), each]);
  }
  const classes = [...resources].map(([name, its]) => classSource(name, its, document));
  const named = [...new Set(operations.flatMap((each) => typesOf(each, document)))].sort();
  const names = [...resources.keys()];
  return [
    'import { type CallOptions, type Caller, type DownloadedFile, segment } from "../caller.ts";',
    'import { PageRequest } from "../page.ts";',
    `import type {\n${named.map((name) => `  ${name},\n`).join("")}} from "./types.ts";\n`,
    ...classes,
    comment("Every operation of the platform, by resource.") +
      `export abstract class Resources {\n${names
        .map((name) => `  readonly ${name}: ${capitalized(name)};\n`)
        .join("")}\n  constructor(caller: Caller) {\n${names
        .map((name) => `    this.${name} = new ${capitalized(name)}(caller);\n`)
        .join("")}  }\n}\n`,
  ].join("\n");
}

function typesOf(operation: Operation, document: Document): string[] {
  const answer = pageOf(operation, document)?.item ?? answerType(operation);
  const file = operation.answer.kind === "file";
  const { dryRun = [] } = operation;
  return [file ? [] : answer, bodyType(operation) ?? [], queryType(operation) ?? [], dryRun].flat();
}

function answerType({ id, answer }: Operation): string {
  if (answer.kind === "file") return "DownloadedFile";
  if (answer.schema.$ref === undefined)
    throw new Error(`the response of ${id} has no named schema`);
  return nameOf(answer.schema.$ref);
}

function queryType({ id, query }: Operation): string | undefined {
  return query.length === 0 ? undefined : `${capitalized(id)}Query`;
}

function classSource(name: string, operations: readonly Operation[], document: Document): string {
  const tag = document.tags.find((each) => each.name === operations[0]?.tag);
  return (
    comment(tag?.description ?? `Operations of ${name}.`) +
    `export class ${capitalized(name)} {\n  readonly #caller: Caller;\n\n` +
    "  constructor(caller: Caller) {\n    this.#caller = caller;\n  }\n" +
    operations.map((each) => `\n${methodSource(each, document)}`).join("") +
    "}\n"
  );
}

function methodSource(operation: Operation, document: Document): string {
  const { method, path, pathNames, query, answer } = operation;
  const page = pageOf(operation, document);
  const body = bodyType(operation);
  const queryName = queryType(operation);
  const optional = operation.bodyRequired ? "" : " = {}";
  // For a POST, and for reading a single record, query parameters are part of the call's options.
  const isOfOne = pathNames.length > 0 && page === undefined && answer.kind !== "file";
  const inOptions = queryName !== undefined && (body !== undefined || isOfOne);
  const names = query.map(({ name }) => name).join(", ");
  const parameters = [
    ...pathNames.map((name) => `${name}: string`),
    ...(body === undefined
      ? []
      : [`body: ${body}${operation.takesCsv ? " | string" : ""}${optional}`]),
    ...(queryName === undefined || inOptions ? [] : [`query: ${queryName} = {}`]),
    inOptions
      ? `{ ${names}, ...options }: CallOptions & ${queryName} = {}`
      : "options: CallOptions = {}",
  ];
  const request = [
    `method: "${method}"`,
    `path: \`${path.replaceAll(/\{(\w+)\}/g, "$${segment($1)}")}\``,
    ...(body === undefined ? [] : ["body"]),
    ...(queryName === undefined ? [] : [`query: { ${inOptions ? wirePairs(query) : "...query"} }`]),
    ...(answer.kind === "data" ? [] : [`answer: "${answer.kind}"`]),
  ].join(", ");
  const type = page?.item ?? answerType(operation);
  const returned = page === undefined ? `Promise<${type}>` : `PageRequest<${type}>`;
  const call =
    page === undefined
      ? `this.#caller.send({ ${request} }, options)`
      : `new PageRequest(this.#caller, { ${request} }, "${page.records}", options)`;
  const { method: name } = placeOf(operation);
  const documented = comment(documentation(operation), "  ");
  if (operation.dryRun !== undefined) {
    return documented + dryRunSource(operation, { name, body, type, request });
  }
  return `${documented}  ${name}(${parameters.join(", ")}): ${returned} {\n    return ${call};\n  }\n`;
}

/** Generates a method whose option `dryRun: true` returns what the operation would do. */
function dryRunSource(
  { dryRun }: Operation,
  { name, body, type, request }: Record<"name" | "body" | "type" | "request", string | undefined>,
): string {
  const rest = "...options";
  return (
    `  ${name}(body: ${body}, options: CallOptions & { readonly dryRun: true }): Promise<${dryRun}>;\n` +
    `  ${name}(body: ${body}, options?: CallOptions & { readonly dryRun?: false | undefined }): Promise<${type}>;\n` +
    `  ${name}(body: ${body}, { dryRun, ${rest} }: CallOptions & { readonly dryRun?: boolean | undefined } = {}): Promise<${type} | ${dryRun}> {\n` +
    `    return this.#caller.send({ ${request}, dryRun }, options);\n  }\n`
  );
}

function wirePairs(query: Operation["query"]): string {
  return query
    .map(({ name, wireName }) => (name === wireName ? name : `"${wireName}": ${name}`))
    .join(", ");
}

function documentation({ id, text, refusals }: Operation): string {
  const codes = refusals.map((code) => `\`${code}\``).join(", ");
  const own = codes === "" ? "" : `\n\nAdditional error codes: ${codes}.`;
  return `${text}${own}\n\nOperation \`${id}\` of the reference.`;
}

const head = "// Generated from docs/openapi.json by `npm run generate`. Do not edit.\n\n";

/** Generates the SDK's files, keyed by name. */
export function generatedFiles(document: Document): Readonly<Record<string, string>> {
  const operations = operationsOf(document);
  return {
    "types.ts": head + typesSource(document, operations),
    "resources.ts": head + resourcesSource(document, operations),
  };
}
