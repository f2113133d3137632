import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import { resume, type Tracing } from "@disburse/chassis/tracing/tracing.ts";
import type { Due, RecordStore } from "../records/store.ts";
import { attemptScreening, type ScreeningDeps } from "./compliance.ts";

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
