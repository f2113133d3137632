import type { Client } from "@connectrpc/connect";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AccountStore } from "./account-store.ts";
import { type Doubt, doubted, isOverdue } from "./domain/doubt.ts";
import type { Payout } from "./domain/payout.ts";
import { endingMovement } from "./domain/payout-movement.ts";
import { faceOf, owedMovement, type Progress } from "./domain/progress.ts";
import { afterWord } from "./domain/rail-word.ts";
import { causeOf } from "./domain/timeline.ts";
import type { StoredCall } from "./payout-documents.ts";
import type { PayoutStore } from "./payout-store.ts";
import { type LeasedPayout, leaseMs, type Release, type Step } from "./payout-work.ts";
import { type Heard, heardFrom, retryMs } from "./rail-calls.ts";
import type { Instruction, Rail } from "./rails/rail.ts";
import type { RailDirectory, Waits } from "./rails/rail-directory.ts";

export type RailWorkerDeps = {
  readonly accounts: AccountStore;
  readonly payouts: PayoutStore;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly rails: RailDirectory;
  /** A payout that is open for so long after its submission is put before the operators. */
  readonly stuckAfterMs: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when there is an event to publish. */
  readonly onChanged: () => void;
};

/** A payout that waits for its rail is tried again no more seldom than this. */
const queueWaitMaxMs = 30_000;
/** A payout that is not at its end is asked for so often, where its rail says no time. */
const unknownAskMaxMs = 60_000;
/** Nor is it put off longer than this, whatever its rail says. */
export const putOffMaxMs = 600_000;

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

/** A payout as a step left it, and when its rail wants to be asked again. */
type Moved = { readonly payout: Payout; readonly askAt: Date | "done" };

/**
 * Moves a payout on until it has to wait; each step is one write, journalled before the rail is
 * called.
 */
async function work(deps: RailWorkerDeps, leased: LeasedPayout): Promise<void> {
  let moved: Moved | undefined = { payout: leased.payout, askAt: deps.clock.now() };
  while (moved !== undefined) {
    moved = await moveOn(deps, { ...leased, payout: moved.payout }, moved.askAt);
  }
}

/** One step; `undefined` when this worker is done with the payout for now. */
async function moveOn(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  askAt: Date | "done",
): Promise<Moved | undefined> {
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
      return moveMoney(deps, leased, askAt);
    case "rejected":
    case "returned":
      return release(deps, leased, { work: "done" });
  }
}

/** The rail is chosen now, and once: it is written with the step before the call. */
async function submitFirst(deps: RailWorkerDeps, leased: LeasedPayout): Promise<Moved | undefined> {
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
  { waits }: Waits,
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

/** Sends a payout under its id, the same one every time; `said` is what led to it. */
async function submit(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  rail: Rail,
  calls: readonly StoredCall[],
): Promise<Moved | undefined> {
  const instruction = await readInstruction(deps, leased.payout);
  const { name } = rail;
  const detail = `submitting to ${name}`;
  const step = { cause: "submitted", detail, ...goOn(deps), submitTo: name, calls } as const;
  const payout = await advance(deps, leased, { stage: "submitting" }, step);
  if (payout === undefined) return undefined;
  const heard = await heardFrom(deps, payout.id, () => rail.submit(payout.id, instruction));
  return apply(deps, { ...leased, payout }, heard);
}

/**
 * Asks by the payout's own key; only a rail that never saw the key is sent it, the same one, again.
 */
async function ask(deps: RailWorkerDeps, leased: LeasedPayout): Promise<Moved | undefined> {
  const { payout } = leased;
  const rail = deps.rails.named(payout.rail);
  if (rail === undefined) {
    deps.log.error({ payout_id: payout.id, rail: payout.rail }, "rail is not configured");
    return release(deps, leased, { work: later(deps, queueWaitMaxMs), ...stuck(deps, payout) });
  }
  const heard = await heardFrom(deps, payout.id, () => rail.query(payout.id));
  const isLost = heard.answer.kind === "not_received" && payout.progress.stage !== "settled";
  if (!isLost) return apply(deps, leased, heard);
  const waits = await deps.rails.waitsFor(rail);
  return waits === undefined
    ? submit(deps, leased, rail, [heard.call])
    : waitFor(deps, leased, { waits }, [heard.call]);
}

async function apply(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  heard: Heard,
): Promise<Moved | undefined> {
  const { payout } = leased;
  const { answer, askAfterMs, call } = heard;
  const next = afterWord(payout, heard);
  // A payout that is not at its end is asked for, also where the rail means to call back.
  const isOpen = faceOf(payout.progress).status === "initiated";
  const atLast = isOpen ? later(deps, unknownAskMaxMs) : "done";
  const askAt = askAfterMs === undefined ? atLast : later(deps, askAfterMs);
  if (isRefused(next)) {
    deps.log.error({ payout_id: payout.id, answer: answer.kind }, "rail contradicts itself");
    const doubt = doubted(payout.doubt, "contradicted", call.at);
    return release(deps, leased, { work: atLast, calls: [call], doubt });
  }
  if (next === "unchanged") {
    const overdue = isOpen && isOverdue(payout.submittedAt, call.at, deps.stuckAfterMs);
    const doubt = overdue ? stuck(deps, payout) : {};
    const work = isOpen && askAfterMs !== undefined ? soon(deps, askAfterMs) : askAt;
    return release(deps, leased, { work, calls: [call], ...doubt });
  }
  const step = { cause: causeOf(answer), detail: `rail said ${answer.kind}`, calls: [call] };
  if (owedMovement(next) !== undefined) {
    const decided = await advance(deps, leased, next, { ...step, ...goOn(deps) });
    return decided && { payout: decided, askAt: askAfterMs === undefined ? "done" : askAt };
  }
  const waitMs = next.stage === "unknown" ? unknownWaitMs(next.asked, askAfterMs) : askAfterMs;
  const due = { at: call.at, work: soon(deps, waitMs ?? retryMs) };
  await advance(deps, leased, next, { ...step, ...due });
  return undefined;
}

/** Writes a step of a payout and tells of it, with how long the payout stood where it was. */
async function advance(
  { payouts, log }: RailWorkerDeps,
  leased: LeasedPayout,
  progress: Progress,
  step: Step,
): Promise<Payout | undefined> {
  const { payout } = leased;
  const moved = await payouts.advance(payout, progress, step);
  if (moved === undefined) {
    // Somebody was faster. Whoever did not take the lease along leaves the work to the next one.
    await payouts.release(leased, { work: step.at });
    return undefined;
  }
  const { stage } = moved.progress;
  const { status } = faceOf(moved.progress);
  const stood_ms = step.at.getTime() - payout.updatedAt.getTime();
  log.info(
    { payout_id: payout.id, stage, status, cause: step.detail, stood_ms },
    "payout moved on",
  );
  return moved;
}

async function release(
  { payouts }: RailWorkerDeps,
  leased: LeasedPayout,
  ending: Release,
): Promise<undefined> {
  await payouts.release(leased, ending);
}

/** The doubt of a payout that stands still, where nobody doubts it yet. */
function stuck({ clock }: RailWorkerDeps, { doubt }: Payout): { readonly doubt?: Doubt } {
  return doubt === undefined ? { doubt: doubted(undefined, "stuck", clock.now()) } : {};
}

/** A rail that does not know is asked ever more seldom, and never forgotten. */
function unknownWaitMs(asked: number, askAfterMs = retryMs): number {
  return Math.min(askAfterMs * 2 ** Math.min(asked - 1, 20), unknownAskMaxMs);
}

/** Moves the money that a decided outcome owes, once; only then is the outcome told. */
async function moveMoney(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  askAt: Date | "done",
): Promise<undefined> {
  const { payout } = leased;
  const { accounts, clock, onChanged } = deps;
  const owed = owedMovement(payout.progress);
  if (owed === undefined) throw new Error("a payout without an outcome owes no movement");
  const { accountId, merchantId } = payout.quote;
  const movement = endingMovement(payout, owed.step);
  const { outcome } = await accounts.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied") throw new Error(`${owed.step} not applied: ${outcome}`);
  const { stage } = owed.to;
  const cause = stage === "rejected" || stage === "returned" ? stage : "settled";
  const work = workAfter(stage, askAt, clock.now());
  const step = { cause, detail: `${owed.step} applied`, at: clock.now(), work } as const;
  if ((await advance(deps, leased, owed.to, step)) !== undefined) onChanged();
}

/** A settled payout is asked for as its rail wants; one that came back already goes on at once. */
function workAfter(stage: Progress["stage"], askAt: Date | "done", now: Date): Date | "done" {
  if (stage === "returning") return now;
  return stage === "settled" ? askAt : "done";
}

async function readInstruction(deps: RailWorkerDeps, { quote }: Payout): Promise<Instruction> {
  const { merchantId, beneficiary, destination, receivingMinor, claim } = quote;
  const told = await deps.beneficiary.getPaymentInstruction({
    merchantId,
    beneficiaryId: beneficiary.id,
  });
  return {
    referenceId: claim.referenceId,
    currency: destination,
    amount: receivingMinor,
    transferMethod: told.transferMethod,
    network: told.network,
    beneficiaryName: told.beneficiaryName,
    accountNumber: told.accountNumber,
    routingCodeType: told.routingCodeType1,
    routingCodeValue: told.routingCodeValue1,
    destinationCountry: told.destinationCountry,
  };
}

function later({ clock }: RailWorkerDeps, ms: number): Date {
  return new Date(clock.now().getTime() + ms);
}

/** Of a payout that is not at its end, whatever its rail says. */
function soon(deps: RailWorkerDeps, ms: number): Date {
  return later(deps, Math.min(ms, putOffMaxMs));
}

/** Of a step after which this worker goes on: the lease begins anew. */
function goOn(deps: RailWorkerDeps): Pick<Step, "at" | "work"> {
  return { at: deps.clock.now(), work: { leasedUntil: later(deps, leaseMs) } };
}
