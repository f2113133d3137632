import { setTimeout as pause } from "node:timers/promises";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import type { SweepLease } from "@disburse/chassis/mongo/sweep-lease.ts";
import { sweepDeliveries } from "./deliveries.ts";
import { type PayoutEvents, type SweepDeps, sweepPayoutEvents } from "./payout-events.ts";
import { gapKinds } from "./rules/window.ts";

export type GapLoopOptions = Omit<SweepDeps, "holdsLease"> & {
  readonly lease: SweepLease;
  /** Absent where the deployment names no payout service: its events are not looked at then. */
  readonly payout: PayoutEvents | undefined;
  readonly everyMs: number;
};

/** How long a sweep's right lasts: a holder that lives renews it, one that died is replaced. */
export function gapLeaseMs(everyMs: number): number {
  return Math.max(2 * everyMs, 60_000);
}

/** A process that starts has other things to do first, and its neighbours may be starting too. */
const firstAfterMs = { atLeast: 2_000, spread: 8_000 };
/** The age of what was swept grows also where nobody sweeps, or another process does. */
const tellEveryMs = 15_000;

/**
 * Sweeps again and again, in one process of all, the first time seconds after the start. Deliveries
 * come first, for they need nobody else; where payout does not answer, its events are looked at the
 * next time.
 */
export function startGapSweep(options: GapLoopOptions): Pick<Loop, "stop"> {
  const { lease, payout, everyMs, log } = options;
  const ended = new AbortController();
  // A sweep of a long time need not come to its end: the next one goes on from there.
  const holdsLease = async () => !ended.signal.aborted && (await lease.hold()) !== undefined;
  const deps: SweepDeps = { ...options, holdsLease };
  if (payout === undefined) {
    log.warn({}, "no PAYOUT_URL: lost events of payouts are not looked for");
  }
  let firstMs = Math.min(everyMs, firstAfterMs.atLeast + Math.random() * firstAfterMs.spread);
  const loop = startLoop({
    name: "webhook-gaps",
    everyMs,
    run: async () => {
      await pause(firstMs, undefined, { signal: ended.signal }).catch(() => undefined);
      firstMs = 0;
      if (!(await holdsLease())) return false;
      await sweepDeliveries(deps);
      if (payout !== undefined) await sweepPayoutEvents(deps, payout);
      return false;
    },
    log,
  });
  const ages = startLoop({
    name: "webhook-gap-age",
    everyMs: Math.min(everyMs, tellEveryMs),
    run: () => reportAges(options),
    log,
  });
  return {
    stop: async () => {
      ended.abort();
      await Promise.all([loop.stop(), ages.stop()]);
      await lease.release();
    },
  };
}

async function reportAges({ gaps, clock, metrics }: GapLoopOptions): Promise<false> {
  for (const kind of gapKinds) {
    const through = await gaps.through(kind);
    if (through !== undefined) metrics.through(kind, clock.now().getTime() - through.getTime());
  }
  return false;
}
