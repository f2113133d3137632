import type { Usage } from "../measures/counters.ts";
import { percentile, rounded } from "../measures/percentile.ts";
import type { ScenarioName } from "./options.ts";
import type { Sample } from "./tally.ts";

/** The result of a scenario; `null` where a figure does not apply to it. */
export type ScenarioFigures = {
  /** From when an event should have been published to its request's arrival. */
  readonly p50_ms: number | null;
  readonly p99_ms: number | null;
  /** Deliveries a second. */
  readonly per_s: number | null;
  /** B's deliveries a second over those of the bare loop. */
  readonly floor_ratio: number | null;
  /** Events that did not arrive. */
  readonly lost: number;
  /** Requests beyond each event's first. */
  readonly duplicates: number;
  /** p99 over that of an A beside it: the median of rounds in C and D, of new events in E. */
  readonly p99_to_a: number | null;
  /** F: deliveries under a lease when the notifier was killed. */
  readonly in_flight: number | null;
  /** F: seconds from the kill until latency is A's again; `null` also where that did not come. */
  readonly back_after_s: number | null;
};

/** The figures of the scenarios that were measured. */
export type WebhookFigures = Partial<Record<ScenarioName, ScenarioFigures>>;

const none = { p50_ms: null, p99_ms: null, per_s: null, floor_ratio: null, lost: 0, duplicates: 0 };
const noneOfAll = { ...none, p99_to_a: null, in_flight: null, back_after_s: null };

/** The figures given, and none for the others. */
export function figuresOf(given: Partial<ScenarioFigures>): ScenarioFigures {
  return { ...noneOfAll, ...given };
}

/** p50 and p99 of latencies, in ms. */
export function latencyOf(samples: readonly Sample[]): { p50_ms: number; p99_ms: number } {
  const latencies = samples.map(({ latencyMs }) => latencyMs);
  return {
    p50_ms: rounded(percentile(latencies, 0.5), 2),
    p99_ms: rounded(percentile(latencies, 0.99), 2),
  };
}

/** What one delivery costs: MongoDB commands, and microseconds of each process. */
export type Cost = { readonly deliveries: number; readonly usage: Usage };
