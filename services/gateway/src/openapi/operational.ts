import type { JsonSchema } from "@disburse/forms/json-schema.ts";
import { objectSchema, oneOf, text } from "./fields.ts";
import { headerRefs } from "./headers.ts";

/** What is served without a key, outside `/api/v1`. */

function reply(description: string, type: string, schema: JsonSchema): JsonSchema {
  const headers = headerRefs(["X-Request-Id"]);
  return { description, headers, content: { [type]: { schema } } };
}

const notReady = objectSchema("What does not answer.", {
  status: oneOf("Not now.", ["not ready"]),
  dependencies: {
    schema: {
      type: "object",
      description: "What the gateway cannot work without, and whether it answers now.",
      additionalProperties: { type: "boolean" },
    },
  },
});

const routes = {
  "/healthz": [
    "getHealth",
    "Liveness",
    "The process lives.",
    {
      "200": reply(
        "It does.",
        "application/json",
        objectSchema("Health.", { status: oneOf("Fine.", ["ok"]) }),
      ),
    },
  ],
  "/readyz": [
    "getReadiness",
    "Readiness",
    "The database and the services behind the gateway answer.",
    {
      "200": reply(
        "They do.",
        "application/json",
        objectSchema("Readiness.", { status: oneOf("Fine.", ["ready"]) }),
      ),
      "503": reply("Some do not.", "application/json", notReady),
    },
  ],
  "/metrics": [
    "getMetrics",
    "Metrics",
    "For Prometheus.",
    { "200": reply("Metrics.", "text/plain", text("Prometheus text.", "# HELP …").schema) },
  ],
  "/openapi.json": [
    "getOpenApi",
    "This document",
    "OpenAPI 3.1, as a file.",
    { "200": reply("The document.", "application/json", { type: "object" }) },
  ],
  "/docs": [
    "getDocs",
    "The reference to read",
    "This document as a page, served by the gateway alone.",
    { "200": reply("The page.", "text/html", text("HTML.", "<!doctype html>").schema) },
  ],
} as const;

/** The path items of these routes. */
export function operationalPaths(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(routes).map(([path, [operationId, summary, description, responses]]) => {
      const get = { operationId, tags: ["Operational"], summary, description, security: [] };
      return [path, { get: { ...get, responses } }];
    }),
  );
}
