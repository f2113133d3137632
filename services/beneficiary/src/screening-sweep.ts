import { forRequest } from "@disburse/chassis/call-context.ts";
import { type Loop, startLoop } from "@disburse/chassis/loop.ts";
import {
  attemptScreening,
  type Screenable,
  type ScreeningDeps,
  screenableBeneficiaries,
  screenableDepositors,
} from "./screening.ts";
import type { BeneficiaryStore } from "./store.ts";

export type SweepDeps = ScreeningDeps & {
  readonly store: BeneficiaryStore;
  readonly sweepEveryMs: number;
};

/** Screenings under way at a time: enough to catch up after an outage, few beside live requests. */
const lanes = 4;

/**
 * Screens, without anyone asking, what compliance did not answer for when it was created, and what
 * was created before compliance watched records.
 */
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
  const beneficiaries = screenableBeneficiaries(deps.store.beneficiaries);
  const depositors = screenableDepositors(deps.store.depositors);
  const answered =
    (await sweepRecords(deps, beneficiaries)) &&
    (await sweepRecords(deps, depositors)) &&
    (await watchRecords(deps, beneficiaries)) &&
    (await watchRecords(deps, depositors));
  if (!answered) deps.log.warn({}, "compliance does not answer");
  return false;
}

type Pending = Parameters<typeof attemptScreening>[2]["record"];

async function sweepRecords<T extends Pending>(
  deps: SweepDeps,
  screenable: Screenable<T>,
): Promise<boolean> {
  let answered = true;
  const lane = async (): Promise<void> => {
    while (answered) {
      const due = await screenable.store.takeDue(deps.clock.now(), deps.sweepEveryMs);
      if (due === undefined) return;
      const attempt = await forRequest(due.requestId, () =>
        attemptScreening(deps, screenable, due),
      );
      if (attempt === "unanswered") answered = false;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return answered;
}

/** Before the first that a creation makes: the same operation however often it is tried. */
const watchAttempt = 0;

/** One record after the other, and after a failure the next: all of them come again. */
async function watchRecords<T extends Pending>(
  deps: SweepDeps,
  screenable: Screenable<T>,
): Promise<boolean> {
  const { store } = screenable;
  for (let after = ""; ; ) {
    const opened = await store.nextUnwatched(after);
    if (opened === undefined) return true;
    after = opened.record.id;
    const attempt = await attemptScreening(deps, screenable, { ...opened, attempt: watchAttempt });
    if (attempt === "unanswered") return false;
    if (attempt === "screened") await store.markWatched(after);
  }
}
