import type { JsonSchema } from "@disburse/forms/json-schema.ts";
import { type ErrorCode, errorTable } from "@disburse/kernel/errors.ts";
import { type NamedSchema, objectSchema, oneOf, schemaRef, text } from "./fields.ts";
import { headerRefs } from "./headers.ts";
import { type Operation, takesBody } from "./operation.ts";

/** Before anything is known of the operation, and whenever it cannot be carried out. */
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

/** Of whatever has a body and may be asked for under an idempotency key. */
const ofBodies: readonly ErrorCode[] = [
  "INVALID_JSON",
  "IDEMPOTENCY_IN_PROGRESS",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
  "IDEMPOTENCY_KEY_REUSED",
];

/** Every code that an operation can be refused with. */
export function refusalsOf({ method, refusals }: Operation): readonly ErrorCode[] {
  return [...new Set([...refusals, ...always, ...(takesBody(method) ? ofBodies : [])])];
}

/** What every error is: exactly this. */
export const error: NamedSchema = {
  name: "Error",
  schema: objectSchema("Why a request was refused.", {
    code: oneOf("What a program decides by; more may be added.", Object.keys(errorTable)),
    message: text("What a person reads.", "Quote has expired"),
  }),
};

/** Headers that come with some statuses, by status. */
const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  409: ["Retry-After"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

/** Of the key that a request came with: those before it was looked at have none. */
export const limitHeaders = ["RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"] as const;

function limits(status: number): readonly string[] {
  return [401, 408, 417, 431, 501].includes(status) ? [] : limitHeaders;
}

/** The responses of refusals, by status; those of a single code stand among the components. */
export function refusalResponses(codes: readonly ErrorCode[]): Record<string, JsonSchema> {
  const byStatus = Map.groupBy(codes, (code) => errorTable[code].status);
  const responses = [...byStatus].map(([status, its]): [string, JsonSchema] => {
    const [only, ...more] = its;
    const isShared = only !== undefined && more.length === 0;
    return [
      String(status),
      isShared ? { $ref: `#/components/responses/${only}` } : response(status, its),
    ];
  });
  return Object.fromEntries(responses.sort(([a], [b]) => a.localeCompare(b)));
}

/** The responses that `refusalResponses` refers to, for all operations together. */
export function sharedResponses(operations: readonly Operation[]): Record<string, JsonSchema> {
  const shared = operations.flatMap((endpoint) => {
    const byStatus = Map.groupBy(refusalsOf(endpoint), (code) => errorTable[code].status);
    return [...byStatus.values()].flatMap((its) => (its.length === 1 ? its : []));
  });
  return Object.fromEntries(
    [...new Set(shared)].sort().map((code) => [code, response(errorTable[code].status, [code])]),
  );
}

function response(status: number, codes: readonly ErrorCode[]): JsonSchema {
  return {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].message}`).join("\n\n"),
    headers: headerRefs(["X-Request-Id", ...(headersOf[status] ?? []), ...limits(status)]),
    content: {
      "application/json": {
        schema: { allOf: [schemaRef(error)], properties: { code: { enum: codes } } },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode) {
  const message =
    code === "INVALID_REQUEST"
      ? "beneficiary_name: is required; destination_currency: must be one of USD, USDC"
      : errorTable[code].message;
  return { code, message };
}
