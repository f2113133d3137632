import type { measureLedger } from "./ledger/ledger.ts";
import type { BatchFigures } from "./measures/batch.ts";
import type { FlatFigures, HotAccountFigures } from "./measures/comparisons.ts";
import type { restFigures } from "./measures/cost.ts";
import type { ScenarioFigures } from "./measures/scenario.ts";
import type { measureBacklog } from "./webhooks/backlog.ts";

type RestFigures = ReturnType<typeof restFigures>;

/** The content of `--json`. README.md describes the figures. */
export type BenchFigures = {
  readonly machine: {
    readonly cpu: string;
    readonly memory_gb: number;
    readonly os: string;
    readonly load_before: number;
    readonly node: string;
    readonly mongodb: string;
    /** The kind of database. Figures from different kinds are not comparable. */
    readonly engine: string;
    readonly log_level: string;
    /** The measured commit. `+` is appended if the working tree had uncommitted changes. */
    readonly commit: string;
    readonly date: string;
  };
  readonly seconds_in_all: number;
  readonly concurrency: number;
  /** The work of the idle platform per second. Excluded from the figures per request. */
  readonly at_rest?: RestFigures;
  /**
   * Describes the `merchants` scenario: the number of merchants, each merchant's payouts before the
   * run, and the idle platform's work.
   */
  readonly history?: {
    readonly merchants: number;
    readonly payouts_each: number;
    readonly at_rest: RestFigures;
  };
  readonly scenarios: Readonly<Record<string, ScenarioFigures>>;
  readonly ledger?: Awaited<ReturnType<typeof measureLedger>>["ledger"];
  readonly hot_account?: HotAccountFigures;
  readonly flat: Readonly<Record<string, FlatFigures>>;
  readonly webhooks?: Awaited<ReturnType<typeof measureBacklog>>["webhooks"];
  readonly batches?: BatchFigures;
  readonly money_conserved: boolean;
};
