import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { activeCorridors, type CorridorStore } from "./store.ts";

/** Prometheus scrapes every 15 s; a reading is one look-up in an index for each corridor. */
const everyMs = 10_000;
/** Pairs of currencies that are shown: more than any deployment has, and few for Prometheus. */
const corridorsMax = 500;

/** What a reading is taken from. */
export type RateAgeDeps = {
  readonly corridors: CorridorStore;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Keeps the gauges of rates up to date; every process shows the same. */
export function startRateAges(deps: RateAgeDeps): Loop {
  const read = rateAges(deps);
  const run = () => read().then(() => false);
  return startLoop({ name: "rate-ages", everyMs, run, log: deps.log });
}

/** One reading shows the age of each active corridor's rate; a corridor without one has no age. */
export function rateAges({ corridors, metrics, clock }: RateAgeDeps): () => Promise<void> {
  const age = metrics.gauge(
    "disburse_quote_rate_age_seconds",
    "Age of the rate in force of an active corridor.",
    ["corridor"],
  );
  const ageMax = metrics.gauge(
    "disburse_quote_rate_max_age_seconds",
    "Past this age nothing is quoted in an active corridor; 0: no bound.",
    ["corridor"],
  );
  return async () => {
    const active = await activeCorridors(corridors, corridorsMax);
    const now = clock.now().getTime();
    // One that was closed meanwhile is not shown any more.
    age.reset();
    ageMax.reset();
    for (const { corridor, rateAsOf } of active) {
      const label = { corridor: `${corridor.source}-${corridor.destination}` };
      ageMax.set(label, corridor.rateMaxAgeSeconds);
      if (rateAsOf === undefined) continue;
      age.set(label, Math.max(0, now - rateAsOf.getTime()) / 1_000);
    }
  };
}
