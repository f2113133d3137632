import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Answer } from "../domain/answer.ts";

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

/** Probes and metrics: without a key, outside `/api/v1`. */
export function operationalRoutes({ metrics, readiness, reference }: OperationalDeps): readonly {
  readonly path: string;
  readonly answer: () => Promise<Answer>;
}[] {
  const openApi = status(200, reference);
  return [
    { path: "/openapi.json", answer: async () => openApi },
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
