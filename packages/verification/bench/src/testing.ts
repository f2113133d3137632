import type { BenchFigures, LoopFigures, RateFigures, ScenarioFigures } from "./figures.ts";

const loop: LoopFigures = { requests: 10, per_s: 90, p50_ms: 10, p99_ms: 20, unavailable: 3 };
const webhook = { p50_ms: 30, p99_ms: 60 };
const rate = (begun: number, per_s: number, kept_up: boolean): RateFigures => {
  return { ...loop, rate: begun, per_s, kept_up, webhook };
};

/** Figures of a scenario, for the report's tests. */
export const exampleScenario: ScenarioFigures = {
  ...loop,
  cpu_us: { gateway: 1_500, engine: 500, broker: null, load: 700 },
  mongo_ops: { find: 7 },
  mongo_ops_total: 7,
  document_writes: 3.5,
  journal_bytes: 12_345,
  naive: { ...loop, per_s: 900, cpu_us: 300, engine_cpu_us: 500 },
  naive_ratio: 0.1,
  naive_cpu_ratio: 2.5,
  one_at_a_time: { ...loop, p50_ms: 4 },
};

/** Figures of a run whose second rate was too much. */
export const exampleFigures: BenchFigures = {
  machine: {
    cpu: "2 × Example",
    memory_gb: 8,
    os: "Linux 6.1",
    load_before: 0.2,
    node: "v26.0.0",
    mongodb: "8.0.0",
    commit: "0123456789",
    date: "2026-01-02",
  },
  seconds_in_all: 200,
  concurrency: 64,
  money_conserved: true,
  at_rest: { cpu_share: { gateway: 0.012, broker: null }, mongo_ops: 42 },
  scenarios: {
    quote: exampleScenario,
    lifecycle: {
      ...exampleScenario,
      webhook,
      fixed_rates: [rate(10, 9.8, true), rate(25, 12, false)],
    },
  },
  hot_account: { one_per_s: 90, many_per_s: 100, accounts: 16, ratio: 0.9, ratio_min: 0.8 },
  flat: {
    list: { at_1000: 4, at_200000: 5, ratio: 1.25 },
    read: { at_1000: 4, at_200000: 6, ratio: 1.5 },
  },
  flat_within: 1.3,
  webhooks: {
    backlog: 10_000,
    drained_per_s: 740,
    alone: { p50_ms: 9, p99_ms: 80 },
    beside: { p50_ms: 20, p99_ms: 120 },
    p99_ratio: 1.5,
    lost: 0,
    duplicates: 1,
    misrouted: 0,
    cpu_us: { notifier: 400, engine: 600 },
    mongo_ops_total: 0.5,
  },
};
