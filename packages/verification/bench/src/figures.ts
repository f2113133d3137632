/** Requests in a closed loop: how many a second, and how long each took. */
export type LoopFigures = {
  readonly requests: number;
  readonly per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
};

/** CPU time per request by process, in microseconds; `null` where it cannot be measured. */
export type CpuFigures = Readonly<Record<string, number | null>>;

/** A floor, and the CPU time of its own process. */
export type FloorFigures = LoopFigures & { readonly cpu_us: number | null };

/** A scenario beside its floors. A ratio is the scenario's requests per second over the floor's. */
export type ScenarioFigures = LoopFigures & {
  readonly concurrency: number;
  readonly cpu_us: CpuFigures;
  /** MongoDB commands per request, what a request sets going in the background included. */
  readonly mongo_ops: Readonly<Record<string, number>>;
  readonly mongo_ops_total: number;
  readonly floor_echo: FloorFigures;
  readonly floor_mongo: FloorFigures;
  readonly floor_echo_ratio: number;
  readonly floor_mongo_ratio: number;
};

/** The same requests to a platform with few payouts and to one with many: medians, in ms. */
export type FlatFigures = {
  readonly [at: `at_${number}`]: number;
  readonly ratio: number;
};

/** Executes a second out of one account beside executes out of many. */
export type HotAccountFigures = {
  readonly one_per_s: number;
  readonly many_per_s: number;
  /** How many are many. */
  readonly accounts: number;
  readonly ratio: number;
  /** What the ratio should be at least. */
  readonly ratio_min: number;
};

/** What an idle platform does in a minute; `null` where it cannot be measured. */
export type IdleFigures = {
  readonly payout_cpu_ms: number | null;
  readonly engine_cpu_ms: number | null;
  /** MongoDB commands of all services. */
  readonly mongo_ops: number;
  /** What the engine read for them: keys of indexes, and documents. */
  readonly keys_examined: number;
  readonly documents_examined: number;
};

/** All that `--json` writes. */
export type BenchFigures = {
  readonly seconds_in_all: number;
  readonly cpus: number;
  readonly concurrency: number;
  readonly scenarios: Readonly<Record<string, ScenarioFigures>>;
  readonly flat: Readonly<Record<string, FlatFigures>>;
  readonly flat_within: number;
  readonly hot_account?: HotAccountFigures;
  /** By number of payouts: `at_1000`. */
  readonly idle: Readonly<Record<string, IdleFigures>>;
  readonly money_conserved: boolean;
};
