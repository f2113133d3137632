import type {
  BenchFigures,
  FixedFloorFigures,
  LifecycleFigures,
  ScenarioFigures,
} from "./figures.ts";

const loop = { requests: 10, per_s: 90, p50_ms: 10, p99_ms: 20, p999_ms: 25 };
const floor: FixedFloorFigures = { ...loop, per_s: 900, cpu_us: 30, engine_cpu_us: 40 };

/** Figures of a scenario, for tests of what is made of them. */
export const exampleScenario: ScenarioFigures = {
  ...loop,
  concurrency: 64,
  cpu_us: { gateway: 1_500, engine: 500, load: 700 },
  mongo_ops: { find: 7 },
  mongo_ops_total: 7,
  document_writes: 3.5,
  ...{ floor_echo: floor, floor_mongo: floor, floor_naive: floor, floor_grouped: floor },
  ...{ floor_echo_ratio: 0.1, floor_mongo_ratio: 0.1, naive_ratio: 0.2, grouped_ratio: 0.05 },
  one_at_a_time: { ...loop, p50_ms: 4 },
};

const webhook = { webhook_p50_ms: 30, webhook_p99_ms: 60 };

/** Figures of a lifecycle whose last rate was too much. */
export const exampleLifecycle: LifecycleFigures = {
  ...exampleScenario,
  ...webhook,
  open_loop: [
    { ...loop, ...webhook, rate: 10, per_s: 10, kept_up: true },
    { ...loop, ...webhook, rate: 25, per_s: 12, kept_up: false },
  ],
};

/** Figures of a run. */
export const exampleFigures: BenchFigures = {
  machine: {
    ...{
      cpu: "2 × Example <fast>",
      memory_gb: 8,
      os: "Linux 6.1",
      load_before: 0.2,
      node: "v26.0.0",
    },
    ...{ mongodb: "8.0.0", commit: "0123456789", date: "2026-01-02" },
  },
  ...{ seconds_in_all: 200, cpus: 2, concurrency: 64, money_conserved: true },
  scenarios: { quote: exampleScenario, lifecycle: exampleLifecycle },
  memory_mb: { gateway: 110, engine: 220, broker: null },
  flat: {
    list: { at_1000: 4, at_200000: 5, ratio: 1.25 },
    read: { at_1000: 4, at_200000: 6, ratio: 1.5 },
  },
  flat_within: 1.3,
  cold_start: { ready_ms: 2_100, first_quote_ms: 80, first_execute_ms: 95 },
  idle: {},
};
