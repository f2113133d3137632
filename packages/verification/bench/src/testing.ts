import type { BenchFigures } from "./figures.ts";

type Scenario = BenchFigures["scenarios"][string];

const loop = { requests: 10, per_s: 90, p50_ms: 10, p99_ms: 20, unavailable: 3, kept_up: true };
const webhook = { p50_ms: 30, p99_ms: 60 };
const cost = {
  cpu_us: { gateway: 1_500, engine: 500, broker: null, load: 700 },
  cpu_us_total: 2_000,
  rest_cpu_us: 1_100,
  mongo_ops_total: 7,
  document_writes: 3.5,
  journal_bytes: 12_345,
};
const rate = (begun: number, per_s: number, kept_up: boolean) => {
  return { ...loop, ...cost, rate: begun, per_s, kept_up, webhook };
};

const exampleScenario: Scenario = {
  ...loop,
  ...cost,
  naive: { ...loop, per_s: 900, cpu_us: 300, engine_cpu_us: 500 },
  naive_ratio: 0.1,
  naive_cpu_ratio: 2.5,
  one_at_a_time: { ...loop, p50_ms: 4 },
  webhook: undefined,
  fixed_rates: undefined,
};
const at_rest = { cpu_share: { gateway: 0.012, broker: null }, mongo_ops: 42 };

const sizes = { few: 1_000, many: 200_000 };

/** Figures of a run that was overloaded at its second rate. */
export const exampleFigures: BenchFigures = {
  machine: {
    cpu: "2 × Example",
    memory_gb: 8,
    os: "Linux 6.1",
    load_before: 0.2,
    node: "v26.0.0",
    mongodb: "8.0.0",
    engine: "The database is an example.",
    log_level: "info",
    commit: "0123456789",
    date: "2026-01-02",
  },
  seconds_in_all: 200,
  concurrency: 64,
  money_conserved: true,
  at_rest,
  history: { merchants: 200, payouts_each: 2_000, at_rest: { ...at_rest, mongo_ops: 43 } },
  scenarios: {
    merchants: {
      ...exampleScenario,
      webhook,
      fixed_rates: [rate(10, 9.8, true), rate(25, 12, false)],
    },
    quote: { ...exampleScenario, kept_up: false },
  },
  ledger: { ...loop, ...cost, cpu_us: { ledger: 800, engine: 1_200 }, clients: 32, accounts: 100 },
  hot_account: { one_per_s: 90, many_per_s: 100, accounts: 16, ratio: 0.9, ratio_min: 0.8 },
  flat: {
    list: { ...sizes, few_p50_ms: 4, many_p50_ms: 5, ratio: 1.25, is_flat: true },
    read: { ...sizes, few_p50_ms: 4, many_p50_ms: 6, ratio: 1.5, is_flat: false },
  },
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
  batches: {
    ...{ lines: 10_000, executed: 9_000 },
    ...{ validate_s: 2, upload_s: 3, execute_s: 200, settle_s: 1, report_s: 4 },
    report_kib: 2_000,
    mongo_ops: { validate: 10, upload: 100, execute: 80_000, settle: 500, report: 200 },
    peak_mib: { gateway: 150, payout: 200 },
  },
};
