import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Answer } from "../domain/answer.ts";
import { contentHash, type PublicRoute, serveContent } from "./content.ts";

export type OperationalDeps = {
  readonly metrics: Metrics;
  /** What the gateway cannot work without, by name, and whether it answers now. */
  readonly readiness: () => Promise<Readonly<Record<string, boolean>>>;
  /** The OpenAPI document. */
  readonly reference: object;
};

function status(code: number, body: object): Answer {
  return { status: code, headers: {}, body: JSON.stringify(body) };
}

function openApi(reference: object): PublicRoute["answer"] {
  const bytes = Buffer.from(JSON.stringify(reference));
  const headers = { "Cache-Control": "no-cache" };
  return serveContent(contentHash(bytes), { headers, load: async () => bytes });
}

/** Probes and metrics: without a key, outside `/api/v1`. */
export function operationalRoutes({
  metrics,
  readiness,
  reference,
}: OperationalDeps): readonly PublicRoute[] {
  return [
    { path: "/openapi.json", answer: openApi(reference) },
    { path: "/healthz", answer: async () => status(200, { status: "ok" }) },
    {
      path: "/readyz",
      answer: async () => {
        const dependencies = await readiness();
        return Object.values(dependencies).every(Boolean)
          ? status(200, { status: "ready" })
          : status(503, { status: "not ready", dependencies });
      },
    },
    {
      path: "/metrics",
      answer: async () => ({
        status: 200,
        headers: { "Content-Type": metrics.contentType },
        body: await metrics.text(),
      }),
    },
  ];
}
