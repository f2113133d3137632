import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Due, RecordStore } from "../records/store.ts";
import { attemptScreening, type ScreeningDeps } from "./compliance.ts";

/**
 * The interval of the gauges. Prometheus scrapes every 15 s, and each run makes two queries of at
 * most 10,000 records.
 */
const everyMs = 5_000;
/** The maximum pending records to count. The gauge shows no more. */
const readMax = 10_000;

type BacklogDeps = {
  readonly beneficiaries: Pick<RecordStore, "readPending">;
  readonly depositors: Pick<RecordStore, "readPending">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

export type SweepDeps = ScreeningDeps & {
  readonly beneficiaries: RecordStore;
  readonly depositors: RecordStore;
  readonly sweepEveryMs: number;
  readonly tracing?: Tracing | undefined;
};

/**
 * Maximum concurrent screenings: enough to catch up after an outage without slowing live requests.
 */
const lanes = 4;

/** Retries screenings while the compliance service was unavailable. */
export function startScreeningSweep(deps: SweepDeps): Loop {
  return startLoop({
    name: "screening sweep",
    everyMs: deps.sweepEveryMs,
    run: () => sweepOnce(deps),
    log: deps.log,
  });
}

/** Screens everything that is due. Stops early if compliance is unavailable. */
export async function sweepOnce(deps: SweepDeps): Promise<boolean> {
  const { beneficiaries, depositors } = deps;
  const answered =
    (await sweepRecords(deps, beneficiaries)) && (await sweepRecords(deps, depositors));
  if (!answered) deps.log.warn({}, "the compliance service does not respond");
  return false;
}

async function sweepRecords(deps: SweepDeps, store: RecordStore): Promise<boolean> {
  let answered = true;
  const take = async () =>
    answered ? store.takeDue(deps.clock.now(), deps.sweepEveryMs) : undefined;
  const lane = async (first: Due | undefined): Promise<void> => {
    for (let due = first; due !== undefined; due = await take()) {
      const taken = due;
      const screening = { name: "screen record", since: taken.record.createdAt };
      const attempt = await resume(deps.tracing, taken.origin, screening, () =>
        attemptScreening(deps, store, taken),
      );
      if (attempt === "unanswered") answered = false;
    }
  };
  // Usually none is due, so one query suffices.
  const first = await take();
  if (first === undefined) return answered;
  const others = Array.from({ length: lanes - 1 }, async () => lane(await take()));
  await Promise.all([lane(first), ...others]);
  return answered;
}

/** Updates the gauges of pending screenings. Every process reports the same values. */
export function startBacklogGauges(deps: BacklogDeps): Loop {
  const read = backlogGauges(deps);
  const run = () => read().then(() => false);
  return startLoop({ name: "screening-backlog", everyMs, run, log: deps.log });
}

/** Reports the number of pending screenings and the longest wait. */
export function backlogGauges(deps: BacklogDeps): () => Promise<void> {
  const { beneficiaries, depositors, metrics, clock } = deps;
  const pending = metrics.gauge(
    "disburse_screenings_pending",
    "Records awaiting their first screening, by record type; at most 10,000 each.",
    ["record"],
  );
  const oldest = metrics.gauge(
    "disburse_screenings_pending_oldest_seconds",
    "Longest wait of a record for its first screening, among 10,000 records.",
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
