import type { Client } from "@connectrpc/connect";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { BeneficiaryService } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AccountStore } from "./account-store.ts";
import type { Payout } from "./domain/payout.ts";
import { endingMovement } from "./domain/payout-movement.ts";
import { afterAnswer, faceOf, owedMovement, type Progress } from "./domain/progress.ts";
import type { PayoutStore } from "./payout-store.ts";
import type { LeasedPayout, Step } from "./payout-work.ts";
import type { Instruction, Rail, RouteRail, TimedAnswer } from "./rails/rail.ts";

export type RailWorkerDeps = {
  readonly accounts: AccountStore;
  readonly payouts: PayoutStore;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly routeRail: RouteRail;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when there is an event to publish. */
  readonly onChanged: () => void;
};

/** Longer than the slowest rail call with its writes; a dead worker's payout waits no longer. */
const leaseMs = 20_000;
/** The pause before a payout is tried again whose rail or beneficiary service is away. */
const retryMs = 2_000;
/** A payout that is not at its end is asked for no more seldom than this. */
const unknownAskMaxMs = 60_000;

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
    await deps.payouts.release(leased, later(deps, retryMs));
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
  const { payout } = leased;
  switch (payout.progress.stage) {
    case "queued":
      return submitFirst(deps, leased);
    case "submitting":
    case "processing":
    case "unknown":
    case "settled":
      return ask(deps, leased);
    case "concluding":
    case "returning":
      return moveMoney(deps, payout, askAt);
    case "rejected":
    case "returned":
      await deps.payouts.release(leased, "done");
      return undefined;
  }
}

async function submitFirst(deps: RailWorkerDeps, leased: LeasedPayout): Promise<Moved | undefined> {
  const { payout } = leased;
  const rail = railOf(deps, payout);
  if (rail === undefined) {
    await deps.payouts.release(leased, later(deps, retryMs));
    return undefined;
  }
  const instruction = await readInstruction(deps, payout);
  const submitting = await advance(
    deps,
    payout,
    { stage: "submitting" },
    { cause: `submitting to ${rail.name}`, at: deps.clock.now(), work: "go_on" },
  );
  if (submitting === undefined) return undefined;
  const timed = await orUnknown(deps, payout, () => rail.submit(payout.id, instruction));
  return apply(deps, { ...leased, payout: submitting }, timed);
}

/**
 * Asks by the payout's own key; only a rail that never saw the key is sent it, the same one, again.
 */
async function ask(deps: RailWorkerDeps, leased: LeasedPayout): Promise<Moved | undefined> {
  const { payout } = leased;
  const rail = railOf(deps, payout);
  if (rail === undefined) {
    await deps.payouts.release(leased, later(deps, retryMs));
    return undefined;
  }
  const asked = await orUnknown(deps, payout, () => rail.query(payout.id));
  if (asked.answer.kind !== "not_received" || payout.progress.stage === "settled") {
    return apply(deps, leased, asked);
  }
  const instruction = await readInstruction(deps, payout);
  const sent = await orUnknown(deps, payout, () => rail.submit(payout.id, instruction));
  return apply(deps, leased, sent);
}

/** A rail that has not answered by then has not answered; the lease is longer. */
const railTimeoutMs = 10_000;

/** A rail that throws or hangs has told nothing: the outcome is unknown, never a failure. */
async function orUnknown(
  deps: RailWorkerDeps,
  payout: Payout,
  call: () => Promise<TimedAnswer>,
): Promise<TimedAnswer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("no answer in time")), railTimeoutMs);
  const started = performance.now();
  try {
    const timed = await Promise.race([call(), late.promise]);
    const duration_ms = Math.round(performance.now() - started);
    const fields = { payout_id: payout.id, answer: timed.answer.kind, duration_ms };
    deps.log.info(fields, "rail answered");
    return timed;
  } catch (error) {
    deps.log.warn({ err: error, payout_id: payout.id }, "rail did not answer");
    return { answer: { kind: "unknown" }, askAfterMs: retryMs };
  } finally {
    clearTimeout(timer);
  }
}

async function apply(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  { answer, askAfterMs }: TimedAnswer,
): Promise<Moved | undefined> {
  const { payout } = leased;
  const { payouts, clock, log } = deps;
  const next = afterAnswer(payout.progress, answer);
  // A payout that is not at its end is asked for, also where the rail means to call back.
  const isOpen = faceOf(payout.progress).status === "initiated";
  const atLast = isOpen ? later(deps, unknownAskMaxMs) : "done";
  const askAt = askAfterMs === undefined ? atLast : later(deps, askAfterMs);
  if (isRefused(next)) {
    log.error({ payout_id: payout.id, answer: answer.kind }, "rail contradicts itself");
    await payouts.release(leased, atLast);
    return undefined;
  }
  if (next === "unchanged") {
    await payouts.release(leased, askAt);
    return undefined;
  }
  const step = { cause: `rail said ${answer.kind}`, at: clock.now() };
  if (owedMovement(next) !== undefined) {
    const decided = await advance(deps, payout, next, { ...step, work: "go_on" });
    return decided && { payout: decided, askAt: askAfterMs === undefined ? "done" : askAt };
  }
  const waitMs = next.stage === "unknown" ? unknownWaitMs(next.asked, askAfterMs) : askAfterMs;
  await advance(deps, payout, next, { ...step, work: later(deps, waitMs ?? retryMs) });
  return undefined;
}

/** Writes a step of a payout and tells of it, with how long the payout stood where it was. */
async function advance(
  { payouts, log }: RailWorkerDeps,
  payout: Payout,
  progress: Progress,
  step: Step,
): Promise<Payout | undefined> {
  const moved = await payouts.advance(payout, progress, step);
  if (moved === undefined) return undefined;
  const { stage } = moved.progress;
  const { status } = faceOf(moved.progress);
  const stood_ms = step.at.getTime() - payout.updatedAt.getTime();
  const fields = { payout_id: payout.id, stage, status, cause: step.cause, stood_ms };
  log.info(fields, "payout moved on");
  return moved;
}

/** A rail that does not know is asked ever more seldom, and never forgotten. */
function unknownWaitMs(asked: number, askAfterMs = retryMs): number {
  return Math.min(askAfterMs * 2 ** Math.min(asked - 1, 20), unknownAskMaxMs);
}

/** Moves the money that a decided outcome owes, once; only then is the outcome told. */
async function moveMoney(
  deps: RailWorkerDeps,
  payout: Payout,
  askAt: Date | "done",
): Promise<undefined> {
  const { accounts, clock, onChanged } = deps;
  const owed = owedMovement(payout.progress);
  if (owed === undefined) throw new Error("a payout without an outcome owes no movement");
  const { accountId, merchantId } = payout.quote;
  const movement = endingMovement(payout, owed.step);
  const { outcome } = await accounts.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied") throw new Error(`${owed.step} not applied: ${outcome}`);
  const work = workAfter(owed.to.stage, askAt, clock.now());
  const step = { cause: `${owed.step} applied`, at: clock.now(), work };
  if ((await advance(deps, payout, owed.to, step)) !== undefined) onChanged();
}

/** A settled payout is asked for as its rail wants; one that came back already goes on at once. */
function workAfter(stage: Progress["stage"], askAt: Date | "done", now: Date): Date | "done" {
  if (stage === "returning") return now;
  return stage === "settled" ? askAt : "done";
}

function railOf({ routeRail }: RailWorkerDeps, { quote }: Payout): Rail | undefined {
  const { transferMethod, network } = quote.beneficiary;
  return routeRail({ currency: quote.destination, transferMethod, network });
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
