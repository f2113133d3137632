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

/** Screens, without anyone asking, what compliance did not answer for when it was created. */
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
  const answered =
    (await sweepRecords(deps, screenableBeneficiaries(deps.store.beneficiaries))) &&
    (await sweepRecords(deps, screenableDepositors(deps.store.depositors)));
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
