import { readFileSync } from "node:fs";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

type Json = { readonly [key: string]: unknown };

export type DescribedAnswer = {
  readonly method: string;
  /** The requested path, including the query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or text for any other type. */
  readonly body: unknown;
};

export type Reference = ReturnType<typeof referenceOf>;

const documentId = "openapi.json";

/** Reads docs/openapi.json. Another test compares this file with the served document. */
export function readDocument(): Json {
  const file = new URL("../../../../docs/openapi.json", import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")) as Json;
}

export function readReference() {
  return referenceOf(readDocument());
}

/**
 * Validates responses against the document, and rejects fields that the document doesn't describe.
 * The document itself allows new fields, because merchants must accept them.
 */
export function referenceOf(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat("decimal", true);
  // Our own times have milliseconds and are in UTC.
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addSchema({ ...(closedAnswers(document) as Json), $id: documentId });
  const compiled = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `${documentId}#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };
  const schemaProblems = (pointer: string, value: unknown): readonly string[] => {
    const validate = validator(pointer);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
    );
  };
  const routes = routesOf(document);
  return {
    webhookProblems: (body: { readonly transaction_type: string }): readonly string[] => {
      const { transaction_type: type } = body;
      if (!Object.hasOwn(document.webhooks as Json, type)) return [`no webhook of ${type}`];
      const content = `/webhooks/${type}/post/requestBody/content/application~1json`;
      return schemaProblems(`${content}/schema`, body);
    },
    /** Validates a value against the schema at a pointer: `/components/schemas/Payout`. */
    schemaProblems,
    /** Validates an answer. Returns no problems if it matches. */
    problems: ({ method, path, status, headers, body }: DescribedAnswer): readonly string[] => {
      const [pathname = ""] = path.split("?");
      const route = routes.find((each) => each.method === method && each.pattern.test(pathname));
      if (route === undefined) {
        const error = status === 204 ? [] : schemaProblems("/components/schemas/ApiError", body);
        return [...unroutedProblems(status), ...error];
      }
      const pointer = responsePointer(route, status);
      if (pointer === undefined) return [`${route.name} does not tell of ${status}`];
      const response = at(document, pointer);
      const mediaTypes = Object.keys(response.content as Json);
      const sent = headers.get("content-type")?.split(";")[0];
      const mediaType = mediaTypes.find((each) => each === sent) ?? mediaTypes[0] ?? "";
      return [
        ...headerProblems(response, headers, document, absentHeaders(status, body)),
        ...mediaTypeProblems(mediaType, headers),
        ...codeProblems(response, status, body),
        ...schemaProblems(`${pointer}/content/${mediaType.replace("/", "~1")}/schema`, body),
      ];
    },
  };
}

type Route = {
  readonly name: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly pointer: string;
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
};

/** Requires the response for a path that the document doesn't have: an error. */
function unroutedProblems(status: number): readonly string[] {
  return [404, 405, 400, 408, 431, 501, 204].includes(status) ? [] : ["no such operation"];
}

function routesOf(document: Json): Route[] {
  const paths = document.paths as Record<string, Record<string, { responses: Route["responses"] }>>;
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { responses }]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      pointer: `/paths/${path.replaceAll("~", "~0").replaceAll("/", "~1")}/${method}`,
      responses,
    })),
  );
}

function responsePointer({ pointer, responses }: Route, status: number): string | undefined {
  const response = responses[String(status)];
  if (response === undefined) return undefined;
  return response.$ref?.slice(1) ?? `${pointer}/responses/${status}`;
}

function at(document: Json, pointer: string): Json {
  let place: unknown = document;
  for (const step of pointer.split("/").slice(1)) {
    place = (place as Json)[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return place as Json;
}

/** A refusal's code is one of its status. The response has an example of each. */
function codeProblems({ content }: Json, status: number, body: unknown): string[] {
  if (status < 400) return [];
  const { examples } = (content as Record<string, Json>)["application/json"] ?? {};
  const { code } = body as { readonly code?: string };
  return code !== undefined && code in ((examples ?? {}) as Json)
    ? []
    : [`${code} has no ${status}`];
}

/** The document has one media type for each response. */
function mediaTypeProblems(expected: string, headers: Headers): string[] {
  const type = headers.get("content-type") ?? "none";
  return type.split(";")[0] === expected ? [] : [`the media type is ${type}`];
}

/**
 * Headers that the document describes but that are usually absent. For example, only a replay has
 * the first one.
 */
const rareHeaders = /^(Idempotent-Replayed|Disburse-(?:Ignored-Fields|Warnings))$/;
/** Headers that are absent if a request is refused before its API key is known. */
const limitHeaders = /^RateLimit-/;
/** The codes of a 409 after which waiting helps. */
const waitingCodes: readonly unknown[] = ["IDEMPOTENCY_IN_PROGRESS", "BENEFICIARY_NOT_READY"];

/** Returns a test for the names of described headers that a response may lack. */
function absentHeaders(status: number, body: unknown): (name: string) => boolean {
  const isRefusal = status !== 200;
  const isFinal = status === 409 && !waitingCodes.includes((body as Json | null)?.code);
  return (name) =>
    rareHeaders.test(name) ||
    (isRefusal && limitHeaders.test(name)) ||
    (isFinal && name === "Retry-After");
}

function headerProblems(
  response: Json,
  headers: Headers,
  document: Json,
  mayMiss: (name: string) => boolean,
): string[] {
  const described = Object.entries((response.headers ?? {}) as Record<string, { $ref: string }>);
  return described.flatMap(([name, { $ref }]) => {
    const value = headers.get(name);
    const { type } = at(document, $ref.slice(1)).schema as Json;
    if (value === null) return mayMiss(name) ? [] : [`header ${name} is missing`];
    return type !== "integer" || /^\d+$/.test(value) ? [] : [`header ${name} is no number`];
  });
}

/** Clients must accept values that are added later; our own answers have none. */
function isOpenText(schema: Json): schema is Json & { readonly anyOf: readonly Json[] } {
  const [known, any] = Array.isArray(schema.anyOf) ? (schema.anyOf as Json[]) : [];
  return known?.enum !== undefined && any?.type === "string" && Object.keys(any).length === 1;
}

/** Forbids additional properties in every response object and component. */
function closedAnswers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closedAnswers);
  if (typeof node !== "object" || node === null) return node;
  const inside = Object.entries(node).map(([key, value]) => [key, closedAnswers(value)]);
  const copy = Object.fromEntries(inside) as Json;
  if (isOpenText(copy)) return { ...copy, anyOf: copy.anyOf.slice(0, 1) };
  const isObject = copy.type === "object" && typeof copy.properties === "object";
  if (!isObject || "allOf" in copy || "additionalProperties" in copy) return copy;
  return { ...copy, additionalProperties: false };
}
