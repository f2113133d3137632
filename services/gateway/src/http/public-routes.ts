import type { Answer } from "../idempotency/rules/idempotency.ts";
import type { Mode } from "../keys/rules/key.ts";
import { docsRoutes } from "./docs/routes.ts";
import { type PublicRoute, textRoute } from "./static.ts";

/** What is served without a key. */
export type PublicRouteDeps = {
  /** Whether the gateway should get requests now. */
  readonly isReady: () => Promise<boolean>;
  /** The OpenAPI document. */
  readonly reference: object;
  readonly mode: Mode;
  /** The public keys that receipts are checked with, as they are now. */
  readonly receiptKeys: () => readonly object[];
};

const toDocs: Answer = { status: 302, headers: { Location: "/docs" }, body: "" };

/**
 * Every route outside `/api/v1`: probes, the OpenAPI document, and its pages, where `/` and
 * `/docs/` lead.
 */
export async function publicRoutes({
  isReady,
  reference,
  mode,
  receiptKeys,
}: PublicRouteDeps): Promise<readonly PublicRoute[]> {
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
    { path: "/healthz", isProbe: true, answer: async () => status(200, { status: "ok" }) },
    {
      path: "/readyz",
      isProbe: true,
      answer: async () =>
        (await isReady()) ? status(200, { status: "ready" }) : status(503, { status: "not ready" }),
    },
    ...(await docsRoutes(reference, mode)),
  ];
}
