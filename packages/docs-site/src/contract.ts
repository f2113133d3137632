import { type Document, operationsOf } from "@disburse/sdk/generator/document.ts";
import { placeOf } from "@disburse/sdk/generator/resources.ts";
import { bodyType } from "@disburse/sdk/generator/types.ts";
import { minimalOf, resolved, type Schema, type Schemas } from "./fields.ts";
import {
  type Json,
  type JsonObject,
  literalOf,
  type SampleRequest,
  sandboxOrigin,
} from "./samples.ts";

export type Content = {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: Json }>>;
};

export type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
};

type Response = { readonly description: string; readonly content?: Record<string, Content> };

/** An operation or a webhook event; the contract describes both in the same way. */
export type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
};

export type Endpoint = { readonly method: string; readonly path: string; readonly its: Operation };

export type Contract = {
  readonly info: { readonly summary: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
};

export function endpointsOf({ paths }: Contract): Endpoint[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, its]) => ({ method: method.toUpperCase(), path, its })),
  );
}

export function parametersOf({ parameters = [] }: Operation, { components }: Contract) {
  return parameters.map((each) => resolved<Parameter>(each, components.parameters));
}

export type Refusal = { readonly status: string; readonly code: string; readonly message: string };

/** Returns the successful response, and one refusal for each error code. */
export function responsesOf({ responses }: Operation, { components }: Contract) {
  const all = Object.entries(responses).map(
    ([status, each]) => [status, resolved<Response>(each, components.responses)] as const,
  );
  const refusals = all.flatMap(([status, { content }]) => {
    const examples = Object.values(content?.["application/json"]?.examples ?? {});
    return examples.flatMap(({ value }): Refusal[] => {
      const { code, message } = value as JsonObject;
      return typeof code === "string" ? [{ status, code, message: String(message) }] : [];
    });
  });
  return { success: all.find(([status]) => status === "200")?.[1], refusals };
}

/** The suffix of all ids in examples. */
const exampleId = "01hqz0000000000000000000ab";

/** Id prefixes of path parameters, if they can't be derived from the name. */
const prefixes: Readonly<Record<string, string>> = {
  beneficiaryId: "ben",
  depositorId: "dep",
  quoteId: "qt",
  payoutId: "po",
  accountId: "acc",
  endpointId: "whe",
  deliveryId: "whd",
  replayId: "whr",
};

const idOf = (name: string) =>
  `${prefixes[name] ?? name.replace(/Id$/, "").toLowerCase()}_${exampleId}`;

/** Returns the request of an endpoint's sample, with the minimal body of its first example. */
export function sampleRequest({ method, path, its }: Endpoint, contract: Contract): SampleRequest {
  const parameters = parametersOf(its, contract);
  const json = its.requestBody?.content["application/json"];
  const [example] = Object.values(json?.examples ?? {});
  const body =
    json && example && minimalOf(json.schema, example.value, contract.components.schemas);
  const query = parameters.some(({ name }) => name === "limit") ? "?limit=20" : "";
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => idOf(name));
  const request = {
    method,
    url: `${sandboxOrigin}${filled}${query}`,
    body: body as JsonObject | undefined,
    hasKey: parameters.some(({ name }) => name === "Idempotency-Key"),
    file: fileOf(path, its, contract),
  };
  return { ...request, call: callOf(its.operationId, contract, request) };
}

/** Returns the call of the SDK's method for an operation. */
function callOf(id: string, contract: Contract, { url, body, hasKey }: SampleRequest) {
  const operation = operationsOf(contract as unknown as Document).find((each) => each.id === id);
  if (operation === undefined) return undefined;
  const { resource, method } = placeOf(operation);
  const parameters = [
    ...operation.pathNames.map((name) => JSON.stringify(idOf(name))),
    bodyType(operation) && (body === undefined ? "{}" : literalOf(body)),
    url.endsWith("?limit=20") && "{ limit: 20 }",
    hasKey && "{ idempotencyKey: crypto.randomUUID() }",
  ];
  return `${resource}.${method}(${parameters.filter(Boolean).join(", ")})`;
}

/** Returns the file name for a response that isn't JSON or isn't wrapped in `data`. */
function fileOf(path: string, its: Operation, contract: Contract): string | undefined {
  const content = responsesOf(its, contract).success?.content ?? {};
  const [type = "application/json"] = Object.keys(content);
  const value = content[type]?.examples?.success?.value;
  const isData = typeof value === "object" && value !== null && "data" in value;
  if (type === "application/json" && isData) return undefined;
  const last = path.split("/").at(-1) ?? "";
  return last.includes(".") ? last : `${last}.${type.split("/").at(-1)}`;
}
