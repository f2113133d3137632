// Builds the Postman collection and environment from the contract.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { folders } from "./steps.mjs";

const { convertV2 } = createRequire(import.meta.url)("openapi-to-postmanv2");

/** Variables with their start values. Secrets are entered by the reader, or by `npm run test:postman`. */
const environmentValues = {
  baseUrl: "http://127.0.0.1:8080",
  api_key: "",
  approver_api_key: "",
  webhook_url: "http://127.0.0.1:9/webhooks",
};

export const environment = {
  name: "Disburse sandbox",
  values: Object.entries(environmentValues).map(([key, value]) => ({
    key,
    value,
    type: key.endsWith("api_key") ? "secret" : "default",
    enabled: true,
  })),
};

/** Fields whose example is a variable of another name. */
const variables = { scheduled_at: "tomorrow", url: "webhook_url" };

const saved = new Set(Object.values(folders).flatMap((steps) => steps.flatMap(savedBy)));

function savedBy({ save = {} }) {
  return Object.keys(save);
}

const times = [
  "const at = (hours) => new Date(Date.now() + hours * 3600000).toISOString();",
  'pm.variables.set("tomorrow", at(24));',
  'pm.variables.set("an_hour_ago", at(-1));',
];

/** Returns the collection. Its requests are those of the steps, converted from the contract. */
export async function collectionOf(contractPath) {
  const text = readFileSync(contractPath, "utf8");
  const operations = operationsIn(JSON.parse(text));
  const converted = await convert(text);
  const requests = new Map(requestsIn(converted.item).map((each) => [routeOf(each.request), each]));
  const described = new Set();
  const itemOf = (step) => {
    const { route, isPublic, hasBody } = operations.get(step.operation);
    const item = requests.get(route);
    const isFirst = !described.has(step.operation);
    described.add(step.operation);
    return requestItem(item, { ...step, isPublic, hasBody, isFirst });
  };
  const { schema, description } = converted.info;
  return {
    info: { name: "Disburse", schema, description: description.content },
    auth: bearer("api_key"),
    event: [{ listen: "prerequest", script: { type: "text/javascript", exec: times } }],
    item: Object.entries(folders).map(([name, steps]) => ({ name, item: steps.map(itemOf) })),
  };
}

function convert(data) {
  const options = {
    parametersResolution: "Example",
    disableOptionalParameters: true,
    includeWebhooks: false,
  };
  return new Promise((resolve, reject) => {
    convertV2({ type: "string", data }, options, (error, { result, reason, output } = {}) => {
      if (error || !result) reject(error ?? new Error(reason));
      else resolve(output[0].data);
    });
  });
}

function operationsIn({ paths }) {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security, requestBody }]) => [
      operationId,
      {
        route: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
        isPublic: security !== undefined,
        hasBody: requestBody?.content["application/json"].examples !== undefined,
      },
    ]),
  );
  return new Map(all);
}

function requestsIn(items) {
  return items.flatMap((each) => (each.item === undefined ? [each] : requestsIn(each.item)));
}

function routeOf({ method, url }) {
  return `${method} /${url.path.join("/")}`;
}

function bearer(variable) {
  return { type: "bearer", bearer: [{ key: "token", value: `{{${variable}}}`, type: "string" }] };
}

function requestItem({ name, request }, step) {
  const { url, method, header, description } = request;
  const { as, isPublic, isFirst } = step;
  return {
    name: step.name ?? name,
    event: [{ listen: "test", script: { type: "text/javascript", exec: scriptOf(step) } }],
    request: {
      method,
      ...(isFirst && { description: description.content }),
      ...(isPublic && { auth: { type: "noauth" } }),
      ...(as !== undefined && { auth: bearer(as) }),
      header: header.flatMap(headerOf),
      url: {
        host: url.host,
        path: url.path,
        query: url.query.map(({ key, value }) => ({ key, value, disabled: true })),
        variable: url.variable.map(({ key }) => ({ key, value: `{{${snake(key)}}}` })),
      },
      ...bodyOf(request, step),
    },
  };
}

/** Keeps what a request needs. Each request has a new idempotency key. */
function headerOf({ key, value }) {
  if (key === "Idempotency-Key") return [{ key, value: "{{$guid}}" }];
  if (key === "Content-Type" || key === "Accept") return [{ key, value }];
  return [{ key, value, disabled: true }];
}

function bodyOf({ body }, { body: own = {}, only = false, hasBody }) {
  if (!hasBody) return {};
  const example = only ? {} : withVariables(JSON.parse(body.raw));
  const sent = Object.entries({ ...example, ...own }).filter(([, value]) => value !== null);
  const raw = JSON.stringify(Object.fromEntries(sent), undefined, 2);
  return { body: { mode: "raw", raw, options: { raw: { language: "json" } } } };
}

/** Replaces the examples of ids by the variables of the same name. */
function withVariables(value, name = "") {
  if (Array.isArray(value)) return value.map((each) => withVariables(each));
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, each]) => [key, withVariables(each, key)]);
    return Object.fromEntries(entries);
  }
  const variable = variables[name] ?? (saved.has(name) ? name : undefined);
  return variable === undefined ? value : `{{${variable}}}`;
}

function scriptOf({ save = {} }) {
  const values = Object.entries(save).map(
    ([name, expression]) => `pm.collectionVariables.set("${name}", ${expression});`,
  );
  return [
    'pm.test("is successful", () => pm.response.to.have.status(200));',
    // `data` is a name of Postman's own outside of a block.
    ...(values.length > 0 ? ["{", "const { data } = pm.response.json();", ...values, "}"] : []),
  ];
}

function snake(name) {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
