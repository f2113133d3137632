/** Requests in a loop: their rate and latency. */
export type LoopFigures = {
  readonly requests: number;
  readonly per_s: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Answers with 503. The client sent those requests again. */
  readonly unavailable: number;
};

/** A figure for each process; `null` if it cannot be measured. */
export type ProcessFigures = Readonly<Record<string, number | null>>;

/** The naive program in the same run: its CPU time and the engine's per request, in µs. */
export type NaiveFigures = LoopFigures & {
  readonly cpu_us: number | null;
  readonly engine_cpu_us: number | null;
};

/** The time from an execute to its webhook, without the rail's time. */
export type WebhookFigures = { readonly p50_ms: number; readonly p99_ms: number };

/** A scenario beside the naive program. A lifecycle counts as one request. */
export type ScenarioFigures = LoopFigures & {
  /** CPU time per request, in µs, without what the idle platform uses. */
  readonly cpu_us: ProcessFigures;
  /** MongoDB commands per request, those of its background work included. */
  readonly mongo_ops: Readonly<Record<string, number>>;
  readonly mongo_ops_total: number;
  /** Documents inserted, updated or deleted per request. */
  readonly document_writes: number;
  /** Bytes of the engine's journal per request; `null` if the engine does not count them. */
  readonly journal_bytes: number | null;
  readonly naive: NaiveFigures;
  /** Requests per second as a share of the naive program's. */
  readonly naive_ratio: number;
  /** CPU time of all server processes as a multiple of the naive program's. */
  readonly naive_cpu_ratio: number | null;
  readonly one_at_a_time: LoopFigures;
  /** Lifecycles only. */
  readonly webhook?: WebhookFigures;
  /** `lifecycle` only: fixed rates, up to the first that the platform does not keep up with. */
  readonly fixed_rates?: readonly RateFigures[];
};

/** Lifecycles that begin at fixed moments. Latency counts from these moments. */
export type RateFigures = LoopFigures & {
  readonly rate: number;
  readonly webhook?: WebhookFigures;
  readonly kept_up: boolean;
};

/** The platform at rest, per second. The figures per request leave it out. */
export type RestFigures = {
  /** CPU time by process, as a share of one processor. */
  readonly cpu_share: ProcessFigures;
  readonly mongo_ops: number;
};

/** The same requests to a platform with few payouts and to one with many: medians, in ms. */
export type FlatFigures = {
  readonly [at: `at_${number}`]: number;
  readonly ratio: number;
};

/** Executes per second from one account, and from many. */
export type HotAccountFigures = {
  readonly one_per_s: number;
  readonly many_per_s: number;
  /** The number of accounts that `many` is. */
  readonly accounts: number;
  readonly ratio: number;
  /** The lowest acceptable ratio. */
  readonly ratio_min: number;
};

/** A backlog of webhooks that drains while new events are published. */
export type BacklogFigures = {
  /** Deliveries in the backlog, and how many of them went out per second. */
  readonly backlog: number;
  readonly drained_per_s: number;
  /** From the moment of a new event's publication to its webhook, without and with the backlog. */
  readonly alone: WebhookFigures;
  readonly beside: WebhookFigures;
  /** The p99 with the backlog as a multiple of the p99 without it. */
  readonly p99_ratio: number;
  readonly lost: number;
  readonly duplicates: number;
  readonly misrouted: number;
  /** Per delivery while the backlog drains, in µs. */
  readonly cpu_us: ProcessFigures;
  readonly mongo_ops_total: number;
};

/** Where the figures are from. */
export type MachineFigures = {
  readonly cpu: string;
  readonly memory_gb: number;
  readonly os: string;
  /** The load average in the minute before the run. */
  readonly load_before: number;
  readonly node: string;
  readonly mongodb: string;
  /** The measured commit; `+` if the tree had changes. */
  readonly commit: string;
  /** The day, in UTC. */
  readonly date: string;
};

/** All that `--json` writes. */
export type BenchFigures = {
  readonly machine: MachineFigures;
  readonly seconds_in_all: number;
  readonly concurrency: number;
  readonly at_rest?: RestFigures;
  readonly scenarios: Readonly<Record<string, ScenarioFigures>>;
  readonly hot_account?: HotAccountFigures;
  readonly flat: Readonly<Record<string, FlatFigures>>;
  readonly flat_within: number;
  readonly webhooks?: BacklogFigures;
  readonly money_conserved: boolean;
};
