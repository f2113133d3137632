import type { JsonSchema } from "@disburse/forms/describe/json-schema.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Answer } from "../idempotency/rules/idempotency.ts";
import { withStringAmounts } from "../openapi/string-amounts.ts";
import { yamlOf } from "../openapi/yaml.ts";
import { docsRoutes } from "./docs.ts";
import { siteFiles } from "./site-files.ts";
import { type PublicRoute, textRoute } from "./static.ts";

export type PublicRouteDeps = {
  /** Returns true while the gateway can serve requests. */
  readonly isReady: () => Promise<boolean>;
  readonly reference: JsonSchema;
  /** Folder of the documentation's build. The folder may be missing. */
  readonly docsFolder: string;
  /** The URI for reports of vulnerabilities. */
  readonly securityContact?: string | undefined;
  readonly clock: Clock;
  /** Returns the public keys for verifying receipts. */
  readonly receiptKeys: () => readonly object[];
};

const toDocs: Answer = { status: 302, headers: { Location: "/docs" }, body: "" };

/**
 * Builds the routes outside `/api/v1`: the probes, the OpenAPI document and its pages. `/` and
 * `/docs/` redirect to the pages.
 */
export function publicRoutes({
  isReady,
  reference,
  docsFolder,
  securityContact,
  clock,
  receiptKeys,
}: PublicRouteDeps): readonly PublicRoute[] {
  const status = (code: number, body: object): Answer => {
    return { status: code, headers: {}, body: JSON.stringify(body) };
  };
  return [
    ...["/", "/docs/"].map((path) => ({ path, answer: async () => toDocs })),
    {
      path: "/.well-known/disburse-keys.json",
      answer: async () => status(200, { keys: receiptKeys() }),
    },
    textRoute("/openapi.json", JSON.stringify(reference), {}),
    textRoute("/openapi-strings.json", JSON.stringify(withStringAmounts(reference)), {}),
    textRoute("/openapi.yaml", yamlOf(reference), { "Content-Type": "application/yaml" }),
    { path: "/healthz", isProbe: true, answer: async () => status(200, { status: "ok" }) },
    {
      path: "/readyz",
      isProbe: true,
      answer: async () =>
        (await isReady()) ? status(200, { status: "ready" }) : status(503, { status: "not ready" }),
    },
    ...docsRoutes(docsFolder),
    ...siteFiles(securityContact, clock),
  ];
}
