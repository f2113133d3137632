import {
  addressOf,
  type Json,
  type SampleRequest,
  variableName,
  variablesIn,
  variablesOf,
} from "../request.ts";

/** Formats a sample as a Python 3 program that uses only the standard library. */
export function pythonSample(request: SampleRequest): string {
  const { method, body, idempotencyKey, file } = request;
  const imports = [
    ...(body === undefined && file !== undefined ? [] : ["import json"]),
    "import os",
    ...(file === undefined ? ["from decimal import Decimal"] : []),
    "from urllib.request import Request, urlopen",
  ].join("\n");
  const declared = variablesOf(request).map(
    (name) => `${variableName(name)} = ${JSON.stringify(request.variables[name] ?? "…")}`,
  );
  const headers = [
    `"Authorization": f"Bearer {os.environ['DISBURSE_API_KEY']}"`,
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
    ...(idempotencyKey === undefined
      ? []
      : [`"Idempotency-Key": ${JSON.stringify(idempotencyKey)}`]),
  ].map((each) => `        ${each},\n`);
  const parts = [
    `    ${text(addressOf(request))},\n`,
    `    method="${method}",\n`,
    ...(body === undefined ? [] : ["    data=json.dumps(body).encode(),\n"]),
    `    headers={\n${headers.join("")}    },\n`,
  ];
  const used =
    file === undefined
      ? '    data = json.load(response, parse_float=Decimal)["data"]\nprint(data)'
      : `    with open("${file}", "wb") as file:\n        file.write(response.read())`;
  return [
    imports,
    declared.join("\n"),
    body === undefined ? "" : `body = ${literal(body, 0)}`,
    `request = Request(\n${parts.join("")})\nwith urlopen(request) as response:\n${used}`,
  ]
    .filter((each) => each !== "")
    .join("\n\n");
}

const constants = new Map<Json, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

function literal(value: Json, depth: number): string {
  if (typeof value === "string") return text(value);
  const inner = "    ".repeat(depth + 1);
  const outer = "    ".repeat(depth);
  if (Array.isArray(value)) {
    const parts = value.map((each) => `${inner}${literal(each, depth + 1)},\n`);
    return parts.length === 0 ? "[]" : `[\n${parts.join("")}${outer}]`;
  }
  if (typeof value !== "object" || value === null) {
    return constants.get(value) ?? JSON.stringify(value);
  }
  const parts = Object.entries(value).map(
    ([name, each]) => `${inner}${JSON.stringify(name)}: ${literal(each, depth + 1)},\n`,
  );
  return parts.length === 0 ? "{}" : `{\n${parts.join("")}${outer}}`;
}

/** Formats a value as a string, a variable name or an f-string. */
function text(value: string): string {
  const names = variablesIn(value);
  if (names.length === 0) return JSON.stringify(value);
  if (value === `$${names[0]}`) return variableName(names[0] ?? "");
  const named = value.replaceAll(/\$([A-Z]+)/g, (_, name: string) => `{${variableName(name)}}`);
  // `{origin}` is replaced before the sample runs, so it isn't a Python variable.
  return `f${JSON.stringify(named)}`;
}
