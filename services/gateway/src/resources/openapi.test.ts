import { readFileSync } from "node:fs";
import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { errorTable } from "@disburse/kernel/errors.ts";
import { referenceOf } from "@disburse/testkit/reference.ts";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { isScope } from "../keys/rules/key.ts";
import { readQuery } from "../openapi/query.ts";
import { referenceIn, routes, routesIn } from "./all.ts";

const document = JSON.parse(JSON.stringify(referenceIn("sandbox")));
const reference = referenceOf(document);

type Media = {
  readonly schema: JsonSchema;
  readonly examples?: Record<string, { readonly value: unknown }>;
};
type Content = { readonly content?: { readonly "application/json"?: Media } };

/** All routes of the document, with their JSON pointers. */
const described: [string, { [key: string]: unknown }][] = Object.entries(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods as object).map(([method, operation]): [string, typeof operation] => [
      `/paths/${path.replaceAll("/", "~1")}/${method}`,
      operation,
    ]),
);

it("is a valid OpenAPI 3.1 document", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect([valid, validator.version]).toEqual([true, "3.1"]);
});

it("is the one in docs/; `npm run generate` writes it", () => {
  const file = new URL("../../../../docs/openapi.json", import.meta.url);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(document);
});

it("has every operation once, with a unique id", () => {
  const documented = described.map(([pointer, { operationId }]) => [operationId, pointer]);
  for (const { id, method, path } of routes) {
    const pointer = path.replaceAll(/:(\w+)/g, "{$1}").replaceAll("/", "~1");
    expect(documented).toContainEqual([id, `/paths/${pointer}/${method.toLowerCase()}`]);
  }
  expect(new Set(documented.map(([id]) => id)).size).toBe(documented.length);
  expect(routes.filter(({ scope }) => !isScope(scope))).toEqual([]);
});

it("has no list that refuses an empty cursor: it is the first page", () => {
  const lists = routes.filter(({ query = {} }) => "cursor" in query || "after" in query);
  expect(lists.length).toBeGreaterThan(10);
  for (const { id, query = {} } of lists) {
    const name = "cursor" in query ? "cursor" : "after";
    expect([id, readQuery(new URLSearchParams(`${name}=`), query)]).toEqual([id, { [name]: "" }]);
  }
});

it("has no list without pages, but the forms and the feed", () => {
  const unpaged = routes
    .filter(({ id, query = {} }) => id.startsWith("list") && !("cursor" in query))
    .map(({ id }) => id);
  expect(unpaged).toEqual(["listBeneficiaryForms", "listWebhookEvents"]);
});

it("has every error code, with its status and sentence", () => {
  const [{ enum: codes }] = document.components.schemas.ApiError.properties.code.anyOf;
  expect(codes).toEqual(Object.keys(errorTable));
  const shown = new Set(described.flatMap(([, operation]) => refusedWith(operation)));
  const beyondRoutes = ["ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED"];
  expect([...shown, ...beyondRoutes].sort()).toEqual([...codes].sort());
});

function sharedOf({ $ref }: { readonly $ref?: string }): Content | undefined {
  return document.components.responses[$ref?.split("/").at(-1) ?? ""];
}

function refusedWith(operation: { [key: string]: unknown }): string[] {
  return Object.entries(operation.responses as Record<string, Content & { $ref?: string }>).flatMap(
    ([status, response]) => {
      const { content } = sharedOf(response) ?? response;
      const examples = content?.["application/json"]?.examples ?? {};
      return Object.entries(examples).flatMap(([code, { value }]) => {
        if (code === "success") return [];
        const row = errorTable[code as keyof typeof errorTable];
        const { message } = value as { message: string };
        expect([status, code === "INVALID_REQUEST" ? row.message : message]).toEqual([
          String(row.status),
          row.message,
        ]);
        return [code];
      });
    },
  );
}

describe.each(described)("%s", (pointer, operation) => {
  it("has examples that match its schemas", () => {
    const { requestBody, responses } = operation as {
      requestBody?: Content;
      responses: Record<string, Content & { $ref?: string }>;
    };
    const places: [string, Content | undefined][] = [
      [`${pointer}/requestBody`, requestBody],
      ...Object.entries(responses).map(([status, response]): [string, Content] => [
        response.$ref?.slice(1) ?? `${pointer}/responses/${status}`,
        sharedOf(response) ?? response,
      ]),
    ];
    for (const [place, content] of places) {
      const examples = content?.content?.["application/json"]?.examples ?? {};
      for (const [name, { value }] of Object.entries(examples)) {
        const schema = `${place}/content/application~1json/schema`;
        expect(reference.schemaProblems(schema, value), `${place} ${name}`).toEqual([]);
      }
    }
  });

  it("has a summary, a description and a known tag", () => {
    expect(operation).toMatchObject({
      summary: expect.stringMatching(/^[A-Z]/),
      description: expect.stringMatching(/./),
      tags: [expect.any(String)],
    });
    const tagged = document.tags.map(({ name }: { name: string }) => name);
    expect(tagged).toContain((operation.tags as string[])[0]);
  });
});

describe("an invalid response", () => {
  const exchange = { method: "POST", path: "/api/v1/transfer/crypto/beneficiary", status: 200 };
  const headers = new Headers({
    "content-type": "application/json; charset=utf-8",
    "x-request-id": "r-1",
    "ratelimit-limit": "200",
    "ratelimit-remaining": "199",
    "ratelimit-reset": "1",
  });
  const headersBut = (name: string) =>
    new Headers([...headers].filter(([each]) => each !== name) as [string, string][]);
  const beneficiary_id = "ben_01hqz0000000000000000000ab";
  const right = { ...exchange, headers, body: { data: { beneficiary_id } } };

  it("differs from a valid one", () => {
    expect(reference.problems(right)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["no id", { body: { data: {} } }, "required property 'beneficiary_id'"],
    ["a field that nobody described", { body: { data: { beneficiary_id }, at: 1 } }, "additional"],
    ["a status that is not told", { status: 418 }, "does not tell of 418"],
    ["no request id", { headers: new Headers() }, "header X-Request-Id is missing"],
    [
      "a code of another status",
      { status: 400, body: { code: "RATE_LIMITED", message: "" } },
      "RATE_LIMITED has no 400",
    ],
    ["no such operation", { path: "/api/v1/none" }, "no such operation"],
    [
      "no error where there is no operation",
      { path: "/api/v1/none", status: 404, body: { stack: "at x" } },
      "required property 'code'",
    ],
    ["no limits", { headers: headersBut("ratelimit-remaining") }, "RateLimit-Remaining is missing"],
    ["a page", { headers: headersBut("content-type") }, "the media type is none"],
  ])("%s", (_, change, problem) => {
    expect(reference.problems({ ...right, ...change }).join()).toContain(problem);
  });

  it("in a webhook", () => {
    const data = { id: "evt_1", status: "paid" };
    const body = { transaction_type: "refund", transaction_id: "evt_1", data };
    expect(reference.webhookProblems(body)).toEqual([]);
    expect(reference.webhookProblems({ ...body, ...{ extra: 1 } }).join()).toContain("additional");
    expect(reference.webhookProblems({ transaction_type: "none" })).toEqual(["no webhook of none"]);
  });
});

it("has schemas that client generators of all languages read", () => {
  const faults: string[] = [];
  const readiness = "#/paths//readyz/get/responses/503";
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== "object" || node === null) return;
    const { type, format, properties, pattern, oneOf, anyOf } = node as JsonSchema;
    const { enum: words, default: set } = node as JsonSchema;
    const isComponent = /^#\/components\/schemas\/\w+$/.test(at);
    const isObject = type === "object" && typeof properties === "object";
    const isUnion = [oneOf, anyOf].some(
      (members) => Array.isArray(members) && members.every((each) => "$ref" in each),
    );
    if ((isObject || isUnion) && !isComponent) faults.push(`${at}: no name`);
    if (Array.isArray(type)) faults.push(`${at}: several types`);
    if (type === "boolean" && words !== undefined) faults.push(`${at}: a boolean with values`);
    if (type !== undefined && set !== undefined && typeof set !== "object")
      faults.push(`${at}: a default`);
    if (typeof pattern === "string" && /\\[pP]\{|\(\?(?!:)/.test(pattern))
      faults.push(`${at}: ${pattern}`);
    if (/^date/.test(String(format)) && ("pattern" in node || "maxLength" in node))
      faults.push(`${at}: a date with a pattern or length`);
    const isResponse = !/Request(?=$|\/|[A-Z])|\/parameters\/|\/headers\//.test(at);
    const isConstant = Array.isArray(words) && words.length === 1;
    if (isResponse && words !== undefined && !isConstant && !/\/anyOf\/0$/.test(at))
      faults.push(`${at}: a closed enum`);
    if (/\/responses\/[45]\d\d$/.test(at) && !("$ref" in node) && at !== readiness)
      faults.push(`${at}: a refusal of its own`);
    for (const [key, each] of Object.entries(node)) {
      if (!["example", "examples", "value"].includes(key)) visit(each, `${at}/${key}`);
    }
  };
  visit(document, "#");
  expect(faults).toEqual([]);
});

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
  readonly $ref?: string;
};

function parametersOf({ parameters }: { readonly parameters?: unknown }): Parameter[] {
  return ((parameters ?? []) as Parameter[]).map(({ $ref = "", ...own }) =>
    $ref === "" ? own : document.components.parameters[$ref.split("/").at(-1) ?? ""],
  );
}

it("has an example for every parameter, which the service accepts", () => {
  const without = described.flatMap(([pointer, operation]) =>
    parametersOf(operation).flatMap(({ name, example }) =>
      example === undefined ? [`${pointer} ${name}`] : [],
    ),
  );
  // With a fixed key, the second person who copies the example gets the first one's answer.
  expect(new Set(without.map((each) => each.split(" ")[1]))).toEqual(new Set(["Idempotency-Key"]));
  for (const { method, path, query = {} } of routes) {
    const pointer = `/paths/${path.replaceAll(/:(\w+)/g, "{$1}").replaceAll("/", "~1")}`;
    const [, operation] =
      described.find(([at]) => at === `${pointer}/${method.toLowerCase()}`) ?? [];
    const search = new URLSearchParams();
    for (const { name, in: place, example } of parametersOf(operation ?? {})) {
      const values = Array.isArray(example) ? example : [example];
      if (place === "query") for (const each of values) search.append(name, String(each));
    }
    expect([path, readQuery(search, query)]).not.toEqual([
      path,
      expect.objectContaining({ refused: expect.anything() }),
    ]);
  }
});

it("has examples that pay no one twice and fix one amount", () => {
  const faults: string[] = [];
  const visit = (node: unknown, at: string): void => {
    if (typeof node !== "object" || node === null) return;
    const names = Object.keys(node);
    if (names.includes("allow_duplicate")) faults.push(`${at}: allow_duplicate`);
    const isBoth = names.includes("source_amount") && names.includes("receiving_amount");
    if (isBoth) faults.push(`${at}: two amounts`);
    for (const [key, each] of Object.entries(node)) visit(each, `${at}/${key}`);
  };
  for (const [pointer, { requestBody }] of described) {
    const examples = (requestBody as Content | undefined)?.content?.["application/json"]?.examples;
    visit(examples, pointer);
  }
  expect(faults).toEqual([]);
});

it("states the limits of every JSON body", () => {
  for (const [pointer, { requestBody }] of described) {
    if (requestBody === undefined) continue;
    const { description } = requestBody as { description?: string };
    expect([pointer, description]).toEqual([pointer, expect.stringMatching(/At most [\d,]+ keys/)]);
  }
  expect(document.components.schemas.ExecutePayoutRequest.maxProperties).toBe(200);
});

it("lets X-Request-Id be any text, as the gateway replaces a malformed one", () => {
  const { schema, description } = document.components.parameters.RequestId;
  expect([schema, description]).toEqual([{ type: "string" }, expect.stringContaining("replaces")]);
});

it("has an open list of scopes and the shape of cursors in answers", () => {
  const { ApiKey, PageMeta, WebhookEventPage } = document.components.schemas;
  expect(ApiKey.properties.scopes.items.anyOf).toEqual([
    { type: "string", enum: expect.arrayContaining(["payout:approve"]) },
    { type: "string" },
  ]);
  for (const { properties } of [PageMeta, WebhookEventPage]) {
    expect(properties.next_cursor).toMatchObject({ maxLength: 255, pattern: "^[A-Za-z0-9_-]*$" });
  }
});

it("shows what each success holds, nowhere nothing", () => {
  for (const [pointer, { responses }] of described) {
    const success = (responses as Record<string, Content>)["200"]?.content?.["application/json"];
    const value = success?.examples?.success?.value as { data?: object } | undefined;
    if (value?.data !== undefined) expect(value.data, pointer).not.toEqual({});
  }
});

it("gives generators one type for each success, and each type its own name", () => {
  const faults = described.flatMap(([pointer, { responses }]) => {
    const { content = {} } = (responses as Record<string, Content>)["200"] ?? {};
    const types = Object.keys(content).filter((type) => /json/.test(type));
    return types.length > 1 ? [`${pointer}: ${types.join(", ")}`] : [];
  });
  const { schemas, parameters, headers, responses } = document.components;
  const names = [schemas, parameters, headers, responses].flatMap(Object.keys);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  expect([...faults, ...twice]).toEqual([]);
});

it("uses every component, and resolves every reference", () => {
  const text = JSON.stringify(document);
  const used = new Set([...text.matchAll(/"#(\/components\/[^"]+)"/g)].map(([, at]) => at));
  const { securitySchemes: _, ...parts } = document.components;
  const present = Object.entries(parts as Record<string, object>).flatMap(([kind, its]) =>
    Object.keys(its).map((name) => `/components/${kind}/${name}`),
  );
  expect([...used].sort()).toEqual(present.sort());
});

it("marks every secret of an answer as shown once, so that no replay has it", () => {
  const marked = routesIn("sandbox").flatMap(({ id, data }) => {
    const { properties = {} } = ("schema" in data ? data.schema : {}) as {
      properties?: Readonly<Record<string, unknown>>;
    };
    const secrets = Object.keys(properties).filter((name) => /secret$/.test(name));
    const { shownOnce = [] } = "mediaType" in data ? {} : data;
    expect([id, shownOnce]).toEqual([id, expect.arrayContaining(secrets)]);
    return shownOnce.length === 0 ? [] : [id];
  });
  expect(marked.toSorted()).toEqual([
    ...["createBeneficiaryLink", "createKey", "createWebhookEndpoint", "rotateWebhookSecret"],
  ]);
});
