import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/**
 * Histogram bounds in seconds. A call between services takes milliseconds. The gateway's deadline
 * is 10 s.
 */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/**
 * A service's metrics. Labels have a bounded set of values, such as RPC names, route names and
 * codes. An id is never a label.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/** Creates a registry for one service, so that several services can share a process. */
export function createMetrics(service: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const histogram = <L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    buckets: readonly number[],
  ) => new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers });
  return {
    rpcDuration: histogram(
      "disburse_rpc_duration_seconds",
      "Duration of a served call, by RPC, result code and calling service.",
      ["rpc", "code", "caller"],
      durationBuckets,
    ),
    rpcConnectionsRefused: new Counter({
      name: "disburse_rpc_connections_refused_total",
      help: "Connections to the RPC port that mutual TLS refused, by reason: handshake or certificate.",
      labelNames: ["reason"],
      registers,
    }),
    counter: <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name, help, labelNames, registers }),
    /** Creates a gauge whose value `measure` sets at each scrape. `measure` has 1 s. */
    measured: <L extends string = never>(
      name: string,
      help: string,
      labelNames: readonly L[],
      measure: (gauge: Gauge<L>) => void | Promise<void>,
    ): void =>
      void new Gauge({
        name,
        help,
        labelNames,
        registers,
        collect() {
          return measure(this);
        },
      }),
    histogram,
    contentType: registry.contentType,
    text: () => registry.metrics(),
  };
}
