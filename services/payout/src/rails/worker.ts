import { forRequest } from "@disburse/chassis/call-context.ts";
import type { StoredCall } from "../payouts/document.ts";
import { clearanceWait, type UnclearedStatus } from "../payouts/rules/clearance.ts";
import { type LeasedPayout, leaseMs } from "../payouts/work.ts";
import { applyAnswer } from "./answers.ts";
import { callRail, retryMs } from "./calls.ts";
import { moveMoney } from "./conclusion.ts";
import type { Unavailability } from "./directory.ts";
import { readInstruction } from "./instruction.ts";
import type { Rail } from "./rail.ts";
import {
  advance,
  keepLease,
  later,
  type RailWorkerDeps,
  release,
  type StepResult,
  stuck,
} from "./steps.ts";

/** A payout that waits for its rail is tried again no more seldom than this. */
const queueWaitMaxMs = 30_000;

/** Works on the payout that is due longest; answers whether there was one. */
export async function workOnDuePayout(deps: RailWorkerDeps): Promise<boolean> {
  const leased = await deps.payouts.leaseDue(deps.clock.now(), leaseMs);
  if (leased === undefined) return false;
  await forRequest(leased.requestId, () => workOrRelease(deps, leased));
  return true;
}

async function workOrRelease(deps: RailWorkerDeps, leased: LeasedPayout): Promise<void> {
  try {
    await work(deps, leased);
  } catch (error) {
    deps.log.error({ err: error, payout_id: leased.payout.id }, "payout not moved on");
    await deps.payouts.release(leased, { work: later(deps, retryMs) });
  }
}

/**
 * Moves a payout on until it has to wait; each step is one write, journalled before the rail is
 * called.
 */
async function work(deps: RailWorkerDeps, leased: LeasedPayout): Promise<void> {
  let moved: StepResult | undefined = { payout: leased.payout, pollAt: deps.clock.now() };
  while (moved !== undefined) {
    moved = await moveOn(deps, { ...leased, payout: moved.payout }, moved.pollAt);
  }
}

/** One step; `undefined` when this worker is done with the payout for now. */
async function moveOn(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  pollAt: Date | "done",
): Promise<StepResult | undefined> {
  switch (leased.payout.progress.stage) {
    case "queued":
      return submitFirst(deps, leased);
    case "submitting":
    case "processing":
    case "unknown":
    case "settled":
      return ask(deps, leased);
    case "concluding":
    case "returning":
      return moveMoney(deps, leased, pollAt);
    case "rejected":
    case "returned":
      return release(deps, leased, { work: "done" });
  }
}

/** The rail is chosen now, and once: it is written with the step before the call. */
async function submitFirst(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
): Promise<StepResult | undefined> {
  const { destination, receivingMinor, beneficiary } = leased.payout.quote;
  const { transferMethod, network } = beneficiary;
  const transfer = { currency: destination, amount: receivingMinor, transferMethod, network };
  const chosen = await deps.rails.choose(transfer);
  return "waits" in chosen ? waitFor(deps, leased, chosen) : submit(deps, leased, chosen, []);
}

/**
 * A payout that no rail takes now stays as it is and never fails; one that none could take is also
 * put before the operators.
 */
function waitFor(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  { waits }: Unavailability,
  calls: readonly StoredCall[] = [],
): Promise<undefined> {
  const { payout } = leased;
  const isAway = waits === "PAUSED" || waits === "DOWN";
  deps.log.info({ payout_id: payout.id, waits }, "payout waits for its rail");
  const waitedMs = deps.clock.now().getTime() - payout.createdAt.getTime();
  const waitMs = Math.min(Math.max(waitedMs / 8, retryMs), queueWaitMaxMs);
  const doubt = isAway ? {} : stuck(deps, payout);
  return release(deps, leased, { work: later(deps, waitMs), calls, ...doubt });
}

/**
 * A payout to a beneficiary that is not cleared stays as it is, also one that its rail has lost. It
 * goes on by itself when the beneficiary is cleared, and never fails by itself.
 */
function waitForClearance(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  status: UnclearedStatus,
  calls: readonly StoredCall[],
): Promise<undefined> {
  const { payout } = leased;
  const at = deps.clock.now();
  const wait = clearanceWait(payout.uncleared, status, at, deps.stuckAfterMs);
  const { uncleared, isNews, isForOperators, waitMs } = wait;
  deps.log.info({ payout_id: payout.id, screening: status }, "payout waits for its beneficiary");
  return release(deps, leased, {
    ...{ work: later(deps, waitMs), calls },
    ...(isNews && { uncleared: { wait: uncleared, at } }),
    ...(isForOperators && stuck(deps, payout)),
  });
}

/**
 * Sends a payout under its id, the same one every time, if its beneficiary is cleared at this
 * moment; `calls` is what led to it.
 */
async function submit(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  rail: Rail,
  calls: readonly StoredCall[],
): Promise<StepResult | undefined> {
  const instruction = await readInstruction(deps, leased.payout);
  if ("uncleared" in instruction) {
    return waitForClearance(deps, leased, instruction.uncleared, calls);
  }
  const { name } = rail;
  const detail = `submitting to ${name}`;
  const step = { cause: "submitted", detail, ...keepLease(deps), submitTo: name, calls } as const;
  const payout = await advance(deps, leased, { stage: "submitting" }, step);
  if (payout === undefined) return undefined;
  const heard = await callRail(deps, payout.id, () => rail.submit(payout.id, instruction));
  return applyAnswer(deps, { ...leased, payout }, heard);
}

/**
 * Asks by the payout's own key; only a rail that never saw the key is sent it, the same one, again.
 */
async function ask(deps: RailWorkerDeps, leased: LeasedPayout): Promise<StepResult | undefined> {
  const { payout } = leased;
  const rail = deps.rails.named(payout.rail);
  if (rail === undefined) {
    deps.log.error({ payout_id: payout.id, rail: payout.rail }, "rail is not configured");
    return release(deps, leased, { work: later(deps, queueWaitMaxMs), ...stuck(deps, payout) });
  }
  const heard = await callRail(deps, payout.id, () => rail.query(payout.id));
  const isLost = heard.status.kind === "not_received" && payout.progress.stage !== "settled";
  if (!isLost) return applyAnswer(deps, leased, heard);
  const waits = await deps.rails.unavailability(rail);
  return waits === undefined
    ? submit(deps, leased, rail, [heard.call])
    : waitFor(deps, leased, { waits }, [heard.call]);
}
