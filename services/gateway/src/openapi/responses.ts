import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import { type ErrorCode, errorTable, refusalReasons } from "@disburse/kernel/errors.ts";
import { readViolations, violationRules } from "@disburse/kernel/violations.ts";
import {
  id,
  listOf,
  type NamedSchema,
  objectSchema,
  oneOf,
  schemaRef,
  text,
  whole,
} from "./fields.ts";
import { type Route, takesBody, takesKey } from "./route.ts";

/** Request and response headers of all routes (decisions: wire conventions). */

const requestId = "Identifies the request in all logs; 1 to 128 letters, digits and `._:-`.";

/** Request headers, keyed by their names in the document. */
export const headerParameters: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: `${requestId} If you send none, the gateway generates one. It also replaces a malformed one.`,
    schema: { type: "string" },
    example: "checkout-7f3a",
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "1 to 255 printable characters, a new key for each operation. A repeat with the same body within 30 days gets the first response, and nothing is done twice. A refused request (4xx) frees its key.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
  },
  DryRunHeader: {
    name: "Disburse-Dry-Run",
    in: "header",
    required: false,
    description:
      "`true` returns what the operation would do, with every refusal, and does nothing. The response has the media type `application/vnd.disburse.dry-run+json` and the schema `DryRun`. Nothing is stored or held, and an idempotency key stays free. Operations without a dry run refuse the header.",
    schema: { type: "string", enum: ["true", "false"] },
    example: "false",
  },
  Strict: {
    name: "Disburse-Strict",
    in: "header",
    required: false,
    description:
      "`true` refuses fields of the body that are not known, with `INVALID_REQUEST`; they are ignored otherwise, and the sandbox names them in `Disburse-Ignored-Fields`.",
    schema: { type: "string", enum: ["true", "false"] },
    example: "true",
  },
};

/** The header of every request in the contract with amounts as strings. */
export const amountsHeader = {
  name: "Disburse-Amounts",
  in: "header",
  required: true,
  description: "Returns every amount and rate as a string of the same digits.",
  schema: { type: "string", enum: ["string"] },
  example: "string",
};

const header = (description: string, schema: JsonSchema): JsonSchema => ({ description, schema });

export const responseHeaders: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": header(requestId, {
    type: "string",
    pattern: "^[A-Za-z0-9._:-]{1,128}$",
  }),
  "RateLimit-Limit": header("Requests that may be sent at once.", { type: "integer" }),
  "RateLimit-Remaining": header("Requests that may still be sent now.", { type: "integer" }),
  "RateLimit-Reset": header("Seconds until all of them may be sent again.", { type: "integer" }),
  "Retry-After": header("Seconds to wait before the next try. Absent if waiting doesn't help.", {
    type: "integer",
  }),
  "Idempotent-Replayed": header(
    "True if this is the stored response of an earlier request with this idempotency key.",
    {
      type: "string",
      enum: ["true"],
    },
  ),
  "Disburse-Ignored-Fields": header(
    "In the sandbox: paths of unknown fields of the body; at most 20. Characters of a name other than letters, digits, `_` and `-` are percent-encoded.",
    { type: "string" },
  ),
  "Disburse-Warnings": header(
    "What the success does not show, such as limits that a payout of the quote will exceed.",
    { type: "string" },
  ),
  "Content-Disposition": header("Name of the file.", { type: "string" }),
  "WWW-Authenticate": header("Authentication scheme.", { type: "string", enum: ["Bearer"] }),
};

export function headerRefs(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Codes that any request can get before it has been read completely. */
const ofAnyRequest = ["REQUEST_TIMEOUT", "HEADERS_TOO_LARGE"] as const;

/** Codes that any request can get, because the route is not known yet or can't run. */
const always: readonly ErrorCode[] = [
  "INVALID_REQUEST",
  "UNAUTHENTICATED",
  "ACCESS_FORBIDDEN",
  "REQUEST_TIMEOUT",
  "EXPECTATION_FAILED",
  "RATE_LIMITED",
  "HEADERS_TOO_LARGE",
  "INTERNAL_ERROR",
  "NOT_IMPLEMENTED",
  "SERVICE_UNAVAILABLE",
];

/** Codes that only routes with a body return. */
const ofBodies: readonly ErrorCode[] = [
  "INVALID_JSON",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];

/** Codes that only routes with an idempotency key return. */
const ofKeys: readonly ErrorCode[] = ["IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_KEY_REUSED"];

/**
 * Codes that only routes on one record return. Such a route's path contains the record's
 * id.
 */
const ofRecords: readonly ErrorCode[] = ["RECORD_NOT_FOUND"];

/** Returns all refusal codes of a route. */
export function refusalsOf(route: Route): readonly ErrorCode[] {
  const { method, path, refusals = [] } = route;
  const more = [
    path.includes("/:") ? ofRecords : [],
    takesBody(method) ? ofBodies : [],
    takesKey(route) ? ofKeys : [],
  ];
  return [...new Set([...refusals, ...always, ...more.flat()])];
}

const violation = objectSchema("A field that failed.", {
  field: text("Dotted path, or a header's name.", "depositor_details.address.city"),
  rule: oneOf("The rule that the value broke; more may be added.", violationRules),
  message: text("Explanation, for people.", "is required"),
  row: {
    ...whole("Of an uploaded file: its row, as a spreadsheet counts it. The header is row 1.", 2),
    isOptional: true,
  },
  reference_id: {
    ...text("The line's own reference, if it has one.", "salary-17"),
    isOptional: true,
  },
  lines: {
    schema: {
      type: "array",
      description:
        "If several lines have the same mistake: their numbers from 1, the first hundred of them.",
      items: { type: "integer" },
    },
    isOptional: true,
  },
  rows: {
    schema: {
      type: "array",
      description: "The rows of these lines in an uploaded file.",
      items: { type: "integer" },
    },
    isOptional: true,
  },
  line_count: { ...whole("The number of all lines with the mistake.", 49), isOptional: true },
});

const reasons = Object.entries(refusalReasons).map(([name, what]) => `- \`${name}\`: ${what}`);

export const error: NamedSchema = {
  name: "ApiError",
  schema: objectSchema("Why a request was refused.", {
    code: oneOf("Error code, for programs; more may be added.", Object.keys(errorTable)),
    message: text("Explanation, for people.", "Quote has expired"),
    violations: {
      schema: {
        type: "array",
        description:
          "For `INVALID_REQUEST`: all invalid fields, as `message` names them. For `INVALID_JSON`: where the body is invalid. For `RECORD_NOT_FOUND`: the field whose record does not exist, if the request names several records, and ids of another kind than their field.",
        items: violation,
      },
      isOptional: true,
    },
    reason: {
      ...oneOf(
        `What tells apart the causes that share a code; more may be added.\n\n${reasons.join("\n")}`,
        Object.keys(refusalReasons),
      ),
      isOptional: true,
    },
    payout_id: {
      ...id(
        "po",
        "For `POSSIBLE_DUPLICATE`, the earlier payout. For `ALREADY_PROCESSED` from Reissue payout, the new payout.",
      ),
      isOptional: true,
    },
  }),
};

/** Headers that only some responses have, keyed by status. */
const headersOf: Readonly<Record<number, readonly string[]>> = {
  400: ["Disburse-Ignored-Fields"],
  401: ["WWW-Authenticate"],
  409: ["Retry-After"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Waiting doesn't resolve these refusals, so their responses have no `Retry-After`. */
const withoutRetry: ReadonlySet<ErrorCode> = new Set([
  ...(["NOT_CANCELLABLE", "NOT_AWAITING_APPROVAL", "POSSIBLE_DUPLICATE"] as const),
  ...(["STATE_NOT_REACHABLE", "SOURCE_ACCOUNT_CLOSED"] as const),
]);

/** Returns the headers that any code of a response can have. */
function ownHeaders(status: number, codes: readonly ErrorCode[]): readonly string[] {
  return codes.every((code) => withoutRetry.has(code)) ? [] : (headersOf[status] ?? []);
}

/**
 * Headers with the limits of the API key. A request that is refused before its key is checked gets
 * none.
 */
export const limitHeaders = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

function limits(status: number): readonly string[] {
  return [401, 408, 417, 431, 501].includes(status) ? [] : limitHeaders;
}

function byStatus(codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] {
  return [...Map.groupBy([...codes].sort(), (code) => errorTable[code].status)];
}

/** Routes with the same codes of a status share a component. */
const componentOf = (codes: readonly ErrorCode[]) => codes.join("_OR_");

/** Builds the responses of refusals, keyed by status, as references to components. */
export function refusalResponses(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const responses = byStatus(codes).map(([status, its]): [string, JsonSchema] => [
    String(status),
    { $ref: `#/components/responses/${componentOf(its)}` },
  ]);
  return Object.fromEntries(responses.sort(([a], [b]) => a.localeCompare(b)));
}

/** Builds the components that `refusalResponses` references for all routes. */
export function sharedResponses(routes: readonly Route[]): Record<string, JsonSchema> {
  const all = routes.flatMap((route) =>
    byStatus(refusalsOf(route)).map(([status, its]): [string, JsonSchema] => [
      componentOf(its),
      response(status, its),
    ]),
  );
  return Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b)));
}

function response(status: number, codes: readonly ErrorCode[]): JsonSchema {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join("\n\n"),
    headers: headerRefs(["X-Request-Id", ...ownHeaders(status, codes), ...limits(status)]),
    content: {
      "application/json": {
        schema: schemaRef(error),
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

const invalid = "beneficiary_name: is required; destination_currency: must be one of USD, USDC";

const duplicated = "po_01hqz0000000000000000000ab";

function exampleOf(code: ErrorCode) {
  const { message } = errorTable[code];
  if (code === "POSSIBLE_DUPLICATE") return { code, message, payout_id: duplicated };
  if (code !== "INVALID_REQUEST") return { code, message };
  return { code, message: invalid, violations: readViolations(invalid) };
}

type Described = readonly [id: string, summary: string, description: string];

function operational(
  [operationId, summary, description]: Described,
  replies: readonly (readonly [description: string, schema: JsonSchema, status?: number])[],
  type = "application/json",
): JsonSchema {
  const headers = headerRefs(["X-Request-Id"]);
  const responses = replies.map(([of, schema, status = 200]) => [
    status,
    { description: of, headers, content: { [type]: { schema } } },
  ]);
  const get = { operationId, tags: ["Operational"], summary, description, security: [] };
  const refusals = refusalResponses(ofAnyRequest);
  return { get: { ...get, responses: { ...Object.fromEntries(responses), ...refusals } } };
}

const health = objectSchema("Health.", { status: oneOf("Health status.", ["ok"]) });
const ready = objectSchema("Readiness.", { status: oneOf("Health status.", ["ready"]) });
const notReady = objectSchema("It gets no requests now.", {
  status: oneOf("Health status.", ["not ready"]),
});

const keySet = objectSchema("A JWK set.", {
  keys: listOf("The keys that receipts may be signed with.", {
    schema: objectSchema("An Ed25519 public key (RFC 8037).", {
      kty: oneOf("Type of the key.", ["OKP"]),
      crv: oneOf("Its curve.", ["Ed25519"]),
      x: text("The public key in base64url.", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
      kid: text("Id of the key, `key_id` of a receipt.", "payout.kq3R0c1x"),
      use: oneOf("Use of the key.", ["sig"]),
    }),
    write: (key: object) => key,
  }),
});

/** Paths outside `/api/v1`, which need no API key. */
export const operationalPaths: Readonly<Record<string, JsonSchema>> = {
  "/healthz": operational(["getHealth", "Liveness", "The process runs."], [["It runs.", health]]),
  "/readyz": operational(
    ["getReadiness", "Readiness", "Its own database answers, and it is not about to stop."],
    [
      ["It gets requests.", ready],
      ["It starts, stops, or its database does not answer.", notReady, 503],
    ],
  ),
  "/.well-known/disburse-keys.json": operational(
    [
      "getReceiptKeys",
      "Keys of receipts",
      "The public keys that receipts are checked with, as a JWK set (RFC 7517). Keep a copy with your receipts.",
    ],
    [["The keys.", keySet]],
  ),
  "/openapi.json": operational(
    ["getOpenApi", "This document", "OpenAPI 3.1, as a file."],
    [["The document.", { type: "object" }]],
  ),
  "/openapi-strings.json": operational(
    [
      "getOpenApiWithStrings",
      "This document with amounts as strings",
      "The same contract for client generators that read numbers as floats: every request sends `Disburse-Amounts: string`, and every amount is a string.",
    ],
    [["The document.", { type: "object" }]],
  ),
  "/docs": operational(
    [
      "getDocs",
      "The reference to read",
      "This document and guides as pages, served by the gateway alone. `/` leads here.",
    ],
    [["The page.", text("HTML.", "<!doctype html>").schema]],
    "text/html",
  ),
};
