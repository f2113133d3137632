import {
  addressOf,
  type Json,
  originMark,
  type SampleRequest,
  variableName,
  variablesIn,
  variablesOf,
} from "../request.ts";

/**
 * Formats a sample as a TypeScript module that uses the SDK, or `fetch` for operations without a
 * method.
 */
export function typescriptSample(request: SampleRequest): string {
  const declared = variablesOf(request).map(
    (name) => `const ${variableName(name)} = ${JSON.stringify(request.variables[name] ?? "…")};`,
  );
  const blocks = request.sdk === undefined ? fetchBlocks(request) : sdkBlocks(request, request.sdk);
  const [imports, ...rest] = blocks;
  return [imports, declared.join("\n"), ...rest].filter((each) => each !== "").join("\n\n");
}

function sdkBlocks(request: SampleRequest, sdk: NonNullable<SampleRequest["sdk"]>): string[] {
  const { query, body, idempotencyKey } = request;
  const filters = query.map(([name, value]): [string, string] => [name, literal(typed(value), 0)]);
  const key: [string, string][] =
    idempotencyKey === undefined ? [] : [["idempotencyKey", JSON.stringify(idempotencyKey)]];
  const options = sdk.hasBody ? [...filters, ...key] : key;
  const parameters = [
    ...idsOf(request),
    ...(body === undefined
      ? sdk.hasBody && options.length > 0
        ? ["{}"]
        : []
      : [literal(body, 0)]),
    ...(sdk.hasBody || filters.length === 0 ? [] : [inline(filters)]),
    ...(options.length === 0 ? [] : [inline(options)]),
  ];
  const called = `await disburse.${sdk.resource}.${sdk.method}(${parameters.join(", ")})`;
  return [
    'import { Disburse } from "@disburse/sdk";',
    `const disburse = new Disburse({\n  apiKey: process.env.DISBURSE_API_KEY ?? "",\n  baseUrl: "${originMark}",\n});`,
    sdk.isPage
      ? `const { records } = ${called};\nconsole.log(records);`
      : `const data = ${called};\nconsole.log(data);`,
  ];
}

function fetchBlocks(request: SampleRequest): string[] {
  const { method, body, idempotencyKey, file } = request;
  const headers: (readonly [string, string])[] = [
    ["Authorization", `\`Bearer \${process.env.DISBURSE_API_KEY}\``],
  ];
  if (body !== undefined) headers.push(["Content-Type", JSON.stringify("application/json")]);
  if (idempotencyKey !== undefined)
    headers.push(["Idempotency-Key", JSON.stringify(idempotencyKey)]);
  const lines = headers.map(([name, value]) => `    ${propertyName(name)}: ${value},`);
  const sent = body === undefined ? "" : `\n  body: JSON.stringify(${literal(body, 1)}),`;
  const call = `const response = await fetch(${text(addressOf(request))}, {\n  method: "${method}",\n  headers: {\n${lines.join("\n")}\n  },${sent}\n});`;
  const checked = `if (!response.ok) throw new Error(await response.text());`;
  const used =
    file === undefined
      ? "console.log(await response.text());"
      : `await writeFile("${file}", new Uint8Array(await response.arrayBuffer()));`;
  return [
    file === undefined ? "" : 'import { writeFile } from "node:fs/promises";',
    `${call}\n${checked}\n${used}`,
  ];
}

/** Returns the path segments that are ids or variables. */
function idsOf({ path }: SampleRequest): string[] {
  return path
    .split("/")
    .filter((part) => part.startsWith("$") || /^[a-z]+_[0-9a-z]{26}$/.test(part))
    .map((part) => literal(part, 0));
}

/** Converts a query value to the number or boolean that the client expects. */
function typed(value: string): Json {
  if (value === "true" || value === "false") return value === "true";
  return /^\d{1,6}$/.test(value) ? Number(value) : value;
}

function inline(entries: readonly (readonly [string, string])[]): string {
  return `{ ${entries.map(([name, value]) => (name === value ? name : `${propertyName(name)}: ${value}`)).join(", ")} }`;
}

function literal(value: Json, depth: number): string {
  if (typeof value === "string") return text(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = "  ".repeat(depth + 1);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  const parts = Array.isArray(value)
    ? value.map((each) => literal(each, depth + 1))
    : Object.entries(value).map(
        ([name, each]) => `${propertyName(name)}: ${literal(each, depth + 1)}`,
      );
  if (parts.length === 0) return `${open}${close}`;
  const lines = parts.map((each) => `${inner}${each},\n`).join("");
  return `${open}\n${lines}${"  ".repeat(depth)}${close}`;
}

/** Formats a value as a string, a variable name or a template literal. */
function text(value: string): string {
  const names = variablesIn(value);
  if (names.length === 0) return JSON.stringify(value);
  if (value === `$${names[0]}`) return variableName(names[0] ?? "");
  return `\`${value.replaceAll(/\$([A-Z]+)/g, (_, name: string) => `\${${variableName(name)}}`)}\``;
}

function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
