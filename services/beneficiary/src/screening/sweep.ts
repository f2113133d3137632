import type { Log } from "@disburse/chassis/log.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Due, RecordStore } from "../records/store.ts";
import { attemptScreening, type ScreeningDeps } from "./compliance.ts";

/** Prometheus scrapes every 15 s; a reading is two queries of at most 10,000 records. */
const everyMs = 5_000;
/** Pending records are read up to here; more are shown as this many. */
const readMax = 10_000;

/** What a reading is taken from. */
type BacklogDeps = {
  readonly beneficiaries: Pick<RecordStore, "readPending">;
  readonly depositors: Pick<RecordStore, "readPending">;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
};

/** What the sweep works with. */
export type SweepDeps = ScreeningDeps & {
  readonly beneficiaries: RecordStore;
  readonly depositors: RecordStore;
  readonly sweepEveryMs: number;
  /** Absent where tracing is off. */
  readonly tracing?: Tracing | undefined;
};

/** Screenings under way at a time: enough to catch up after an outage, few beside live requests. */
const lanes = 4;

/** Screens records that compliance did not answer for. */
export function startScreeningSweep(deps: SweepDeps): Loop {
  return startLoop({
    name: "screening sweep",
    everyMs: deps.sweepEveryMs,
    run: () => sweepOnce(deps),
    log: deps.log,
  });
}

/** One round over everything that is due; it ends early where compliance does not answer at all. */
export async function sweepOnce(deps: SweepDeps): Promise<boolean> {
  const { beneficiaries, depositors } = deps;
  const answered =
    (await sweepRecords(deps, beneficiaries)) && (await sweepRecords(deps, depositors));
  if (!answered) deps.log.warn({}, "compliance does not answer");
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
  // Mostly nothing is due: one look tells.
  const first = await take();
  if (first === undefined) return answered;
  const others = Array.from({ length: lanes - 1 }, async () => lane(await take()));
  await Promise.all([lane(first), ...others]);
  return answered;
}

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
