/** Requests in a loop: how many a second, and how long each took. */
export type LoopFigures = {
  readonly requests: number;
  readonly per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly p999_ms: number;
};

/** By process; `null` where it cannot be measured. */
export type ProcessFigures = Readonly<Record<string, number | null>>;

/** A floor, and the CPU time of its own process. */
export type FloorFigures = LoopFigures & { readonly cpu_us: number | null };

/** A fixed floor, with the CPU time of the engine beside its own. */
export type FixedFloorFigures = FloorFigures & { readonly engine_cpu_us: number | null };

/** A scenario beside its floors. A ratio is the scenario's requests per second over the floor's. */
export type ScenarioFigures = LoopFigures & {
  readonly concurrency: number;
  /** CPU time per request, in microseconds. */
  readonly cpu_us: ProcessFigures;
  /** MongoDB commands per request, what a request sets going in the background included. */
  readonly mongo_ops: Readonly<Record<string, number>>;
  readonly mongo_ops_total: number;
  /** Documents inserted, updated or deleted per request, in the same way. */
  readonly document_writes: number;
  readonly floor_echo: FloorFigures;
  readonly floor_mongo: FloorFigures;
  readonly floor_naive: FixedFloorFigures;
  readonly floor_grouped: FixedFloorFigures;
  readonly floor_echo_ratio: number;
  readonly floor_mongo_ratio: number;
  readonly naive_ratio: number;
  readonly grouped_ratio: number;
  /** The same requests, one at a time. */
  readonly one_at_a_time: LoopFigures;
};

/** Of lifecycles a request is a whole one: quote, execute, settlement, webhook. */
export type LifecycleFigures = ScenarioFigures &
  WebhookTimes & {
    /** At fixed rates, until one that the platform does not keep up with. */
    readonly open_loop: readonly OpenLoopFigures[];
  };

/** From the execute until its webhook is received, less what the rail takes. */
export type WebhookTimes = { readonly webhook_p50_ms: number; readonly webhook_p99_ms: number };

/** Lifecycles that begin at fixed moments; latencies count from these. */
export type OpenLoopFigures = LoopFigures &
  WebhookTimes & {
    /** How many a second should begin. */
    readonly rate: number;
    /** False where the loop ended early, with too many under way. */
    readonly kept_up: boolean;
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

/** The six services started again, on an engine and a broker that run: medians, in ms. */
export type ColdStartFigures = {
  /** Until all of them answer. */
  readonly ready_ms: number;
  /** From then until the first quote is answered. */
  readonly first_quote_ms: number;
  /** And from then until its execute is. */
  readonly first_execute_ms: number;
};

/** Where the figures are from. */
export type MachineFigures = {
  readonly cpu: string;
  readonly memory_gb: number;
  readonly os: string;
  /** What else wanted a processor in the minute before the run, as a load average. */
  readonly load_before: number;
  readonly node: string;
  readonly mongodb: string;
  /** The commit that was measured; `+` where the tree had changes beside it. */
  readonly commit: string;
  /** The day, in UTC. */
  readonly date: string;
};

/** All that `--json` writes. */
export type BenchFigures = {
  readonly machine: MachineFigures;
  readonly seconds_in_all: number;
  readonly cpus: number;
  readonly concurrency: number;
  readonly scenarios: Readonly<Record<string, ScenarioFigures | LifecycleFigures>>;
  /** Resident memory of each process after the scenarios, in MB. */
  readonly memory_mb: ProcessFigures;
  readonly flat: Readonly<Record<string, FlatFigures>>;
  readonly flat_within: number;
  readonly hot_account?: HotAccountFigures;
  readonly cold_start?: ColdStartFigures;
  /** By number of payouts: `at_1000`. */
  readonly idle: Readonly<Record<string, IdleFigures>>;
  readonly money_conserved: boolean;
};
