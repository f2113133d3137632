import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { RecordStore } from "../records/store.ts";

/** Prometheus scrapes every 15 s; a reading is two queries of at most 10,000 records. */
const everyMs = 5_000;
/** Pending records are read up to here; more are shown as this many. */
const readMax = 10_000;

/** What a reading is taken from. */
export type BacklogDeps = {
  readonly beneficiaries: Pick<RecordStore, "readPending">;
  readonly depositors: Pick<RecordStore, "readPending">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** Keeps the gauges of pending screenings up to date; every process shows the same. */
export function startBacklogGauges(deps: BacklogDeps): Loop {
  const read = backlogGauges(deps);
  const run = () => read().then(() => false);
  return startLoop({ name: "screening-backlog", everyMs, run, log: deps.log });
}

/** One reading shows how many records wait for their screening, and for how long. */
export function backlogGauges(deps: BacklogDeps): () => Promise<void> {
  const { beneficiaries, depositors, metrics, clock } = deps;
  const pending = metrics.gauge(
    "disburse_screenings_pending",
    "Records that wait for their first screening, by what they are; each to 10,000.",
    ["record"],
  );
  const oldest = metrics.gauge(
    "disburse_screenings_pending_oldest_seconds",
    "For how long the record has waited that waits longest; among 10,000.",
    ["record"],
  );
  return async () => {
    for (const [record, store] of Object.entries({
      beneficiary: beneficiaries,
      depositor: depositors,
    })) {
      const found = await store.readPending(readMax);
      const now = clock.now();
      const since = found.oldest ?? now;
      pending.set({ record }, found.count);
      oldest.set({ record }, Math.max(0, now.getTime() - since.getTime()) / 1_000);
    }
  };
}
