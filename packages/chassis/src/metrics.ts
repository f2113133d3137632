import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** A service's metrics. Labels are bounded sets: rpc and route names, codes; never an id. */
export type Metrics = {
  readonly rpcDuration: Histogram<"rpc" | "code">;
  counter<L extends string>(name: string, help: string, labels: readonly L[]): Counter<L>;
  gauge<L extends string = never>(name: string, help: string, labels?: readonly L[]): Gauge<L>;
  histogram<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    buckets: readonly number[],
  ): Histogram<L>;
  readonly contentType: string;
  text(): Promise<string>;
};

/** Seconds; a hop takes milliseconds, the edge's deadline is 10 s. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** A registry of one service's own, so that several services can live in one process. */
export function createMetrics(service: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    rpcDuration: new Histogram({
      name: "disburse_rpc_duration_seconds",
      help: "Time of a served call, by RPC and result code.",
      labelNames: ["rpc", "code"],
      buckets: [...durationBuckets],
      registers,
    }),
    counter: (name, help, labelNames) => new Counter({ name, help, labelNames, registers }),
    gauge: (name, help, labelNames = []) => new Gauge({ name, help, labelNames, registers }),
    histogram: (name, help, labelNames, buckets) =>
      new Histogram({ name, help, labelNames, buckets: [...buckets], registers }),
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
