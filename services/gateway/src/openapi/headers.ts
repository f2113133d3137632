import type { JsonSchema } from "@disburse/forms/json-schema.ts";

/** What is sent and answered in headers, for all operations alike (decisions: wire conventions). */

const requestId = "Names the request in every log of it; 1 to 128 of letters, digits and `._:-`.";

/** Headers that a request may have, by their names in the document. */
export const headerParameters: Readonly<Record<string, JsonSchema>> = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description: `${requestId} One is made where none is sent.`,
    schema: { type: "string", pattern: "^[A-Za-z0-9._:-]{1,128}$" },
    example: "checkout-7f3a",
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "1 to 255 printable characters, a new one for each thing to be done. Sent again with the same body within 30 days it is answered with what was answered first, and nothing is done twice. A request that was refused (4xx) frees its key.",
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
    example: "3f2c9f54-6a0c-4c8e-9a31-5f0f7f0f3b11",
  },
};

const header = (description: string, schema: JsonSchema): JsonSchema => ({ description, schema });

/** Headers that an answer may have. */
export const responseHeaders: Readonly<Record<string, JsonSchema>> = {
  "X-Request-Id": header(requestId, { type: "string" }),
  "RateLimit-Limit": header("How many requests may come at once.", { type: "integer" }),
  "RateLimit-Remaining": header("How many may still come now.", { type: "integer" }),
  "RateLimit-Reset": header("Seconds until all may come again.", { type: "integer" }),
  "Retry-After": header("Seconds to wait before the next try.", { type: "integer" }),
  "Idempotent-Replayed": header("The answer of an earlier request with this idempotency key.", {
    type: "string",
    enum: ["true"],
  }),
  "Content-Disposition": header("What the file is called.", { type: "string" }),
  "WWW-Authenticate": header("How to authenticate.", { type: "string", enum: ["Bearer"] }),
};

/** The headers of a response, by reference. */
export function headerRefs(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
