import { lessUsage, type Usage } from "./counters.ts";
import { rounded } from "./percentile.ts";

/** Processes that simulate merchants, not part of the platform. */
const outside: readonly string[] = ["load"];

type Nullable = Readonly<Record<string, number | null>>;

/** Returns the cost per request. `rest` is the platform's work at rest. */
export function costOf(usage: Usage, rest: Usage | undefined, requests: number) {
  const share = rest === undefined ? 0 : usage.elapsedMs / rest.elapsedMs;
  const own = rest === undefined ? usage : lessUsage(usage, rest, share);
  const { commands, writes, journalBytes } = own.engine;
  const cpu_us = cpuPerRequest(own, requests);
  const restUs = rest === undefined ? 0 : platformCpu(rest.cpu) * share;
  return {
    /** CPU time by process; `null` if it cannot be measured. */
    cpu_us,
    cpu_us_total: platformCpu(cpu_us),
    /** CPU time that the platform uses at rest in the same time. Excluded from `cpu_us`. */
    rest_cpu_us: Math.round(restUs / requests),
    mongo_ops_total: rounded(commands / requests, 2),
    document_writes: rounded(writes / requests, 2),
    journal_bytes: journalBytes === undefined ? null : Math.round(journalBytes / requests),
  };
}

export function platformCpu(cpu: Readonly<Record<string, number | null | undefined>>): number {
  const own = Object.entries(cpu).filter(([name]) => !outside.includes(name));
  return own.reduce((sum, [, us]) => sum + (us ?? 0), 0);
}

/**
 * Returns the platform's CPU time relative to the naive program's, or `null` if the engine's is
 * unknown.
 */
export function naiveCpuRatio(
  { cpu_us_total }: { readonly cpu_us_total: number },
  naive: { readonly cpu_us: number | null; readonly engine_cpu_us: number | null },
): number | null {
  if (naive.cpu_us === null || naive.engine_cpu_us === null) return null;
  return rounded(cpu_us_total / (naive.cpu_us + naive.engine_cpu_us), 2);
}

/** Returns µs by process. */
export function cpuPerRequest({ cpu }: Pick<Usage, "cpu">, requests: number): Nullable {
  return mapValues(cpu, (used) => (used === undefined ? null : Math.round(used / requests)));
}

export function restFigures({ cpu, engine, elapsedMs }: Usage) {
  return {
    cpu_share: mapValues(cpu, (us) =>
      us === undefined ? null : rounded(us / 1_000 / elapsedMs, 3),
    ),
    mongo_ops: rounded((engine.commands * 1_000) / elapsedMs, 1),
  };
}

function mapValues<V, W>(record: Readonly<Record<string, V>>, map: (value: V) => W) {
  const pairs = Object.entries(record).map(([key, value]) => [key, map(value)] as const);
  return Object.fromEntries(pairs) as Record<string, W>;
}
