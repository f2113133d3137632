import { enumName } from "@disburse/chassis/enum-names.ts";
import { type Loop, type ManualLoops, startLoop } from "@disburse/chassis/loop.ts";
import { findWithTime } from "@disburse/chassis/mongo/grouping/grouped-db.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { withTimeout } from "@disburse/chassis/timeout.ts";
import { resume } from "@disburse/chassis/tracing/tracing.ts";
import type { Wake } from "@disburse/chassis/wake.ts";
import { ScreeningStatus } from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { Failure } from "@disburse/kernel/failure.ts";
import type { Transfer } from "@disburse/rail/capabilities.ts";
import type { Instruction, Preflight, Rail } from "@disburse/rail/rail.ts";
import type { StoredCall } from "../payouts/document.ts";
import { clearanceWait, type UnclearedStatus } from "../payouts/rules/clearance.ts";
import { isAsApproved } from "../payouts/rules/deciding.ts";
import { isOverdue, raiseException } from "../payouts/rules/exception.ts";
import { pendingMovement } from "../payouts/rules/movement.ts";
import { type Payout, paymentTexts } from "../payouts/rules/payout.ts";
import type { Progress } from "../payouts/rules/progress.ts";
import { causeOfEnd } from "../payouts/rules/timeline.ts";
import { type LeasedPayout, release } from "../payouts/work.ts";
import { completeCancellation } from "./cancel.ts";
import { movePending } from "./closing.ts";
import type { Unavailability } from "./directory.ts";
import { fundPayout } from "./funding.ts";
import {
  answering,
  applyResponse,
  callRail,
  fromNow,
  nextPollAt,
  overdueException,
  queueWaitMaxMs,
  queueWaitMs,
  type RailWorkerDeps,
  railTimeoutMs,
  renewedLease,
  retryMs,
  type StepResult,
  silenceTo,
  takeStep,
  textMax,
} from "./steps.ts";

/** Works on the payout that has been due longest. Returns false if none is due. */
export async function workOnDuePayout(
  deps: RailWorkerDeps,
  onTaken: () => void = () => undefined,
): Promise<boolean> {
  const { leases } = deps;
  const leased = await leases.next();
  if (leased === undefined) return false;
  onTaken();
  try {
    const { id, createdAt: since } = leased.payout;
    const advancing = { name: "advance payout", attributes: { "disburse.payout_id": id }, since };
    await resume(deps.tracing, leased.origin, advancing, () => work(deps, leased));
  } finally {
    leases.done(leased);
  }
  return true;
}

/** Advances a payout until it has to wait. Each step is written before its rail call. */
async function work(deps: RailWorkerDeps, first: LeasedPayout): Promise<void> {
  let result: StepResult | undefined = { leased: first, pollAt: deps.clock.now() };
  let leased = first;
  try {
    while (result !== undefined) {
      ({ leased } = result);
      result = await nextStep(deps, leased, result.pollAt);
    }
  } catch (error) {
    deps.log.error(
      { err: error, payout_id: leased.payout.id },
      "processing a payout failed; it will be retried",
    );
    // The calls may already be stored, if the step failed after its write.
    await release(deps.payouts, { ...leased, calls: [] }, { work: fromNow(deps, retryMs) });
  }
}

/**
 * Takes one step of a payout. Returns `undefined` when this worker has no more to do with the
 * payout for now.
 */
async function nextStep(deps: RailWorkerDeps, leased: LeasedPayout, pollAt: Date | "done") {
  switch (leased.payout.progress.stage) {
    case "awaiting_approval":
      return expireApproval(deps, leased);
    case "queued":
    case "awaiting_funds":
      return submitFirst(deps, leased);
    case "submitting":
    case "processing":
    case "unknown":
    case "settled":
      return poll(deps, leased);
    case "concluding":
    case "returning":
      return moveMoney(deps, leased, pollAt);
    case "cancelling":
      return completeCancellation(deps, leased);
    case "rejected":
    case "returned":
    case "cancelled":
      return recheckFailed(deps, leased);
  }
}

/**
 * Chooses the rail of a payout and submits the payout. The choice is made once: the rail is stored
 * before it is called, and a stored rail is used again.
 */
async function submitFirst(deps: RailWorkerDeps, leased: LeasedPayout) {
  const { rail: name } = leased.payout;
  const named = deps.rails.named(name);
  if (name !== "" && named === undefined) return waitForOperator(deps, leased);
  if (!isAsApproved(leased.payout)) return keepUnapproved(deps, leased);
  if (silenceTo(deps, leased.payout) === "down") return waitForRail(deps, leased, "DOWN", []);
  const transfer = transferOf(leased.payout);
  const chosen =
    named === undefined
      ? await deps.rails.choose(transfer)
      : ((await deps.rails.shortageOf(named, transfer)) ?? named);
  return typeof chosen === "string"
    ? waitForRail(deps, leased, chosen, [])
    : submit(deps, leased, chosen, []);
}

/**
 * Defers a payout whose document differs from the approved one. The payout is never sent, and
 * operators must check it.
 */
function keepUnapproved(deps: RailWorkerDeps, leased: LeasedPayout): Promise<undefined> {
  const { payout } = leased;
  deps.log.error(
    { payout_id: payout.id },
    "payout not sent: it differs from the one that was approved",
  );
  const exception = raiseException(payout.exception, "contradicted", deps.clock.now());
  return release(deps.payouts, leased, { work: fromNow(deps, queueWaitMaxMs), exception });
}

function transferOf({ quote }: Payout): Transfer {
  const { destination: currency, receivingMinor: amount, beneficiary } = quote;
  const { transferMethod, network } = beneficiary;
  return { currency, amount, transferMethod, network };
}

/** Defers a payout until its rail takes transfers. Raises an exception if no rail can take it. */
function waitForRail(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  waits: Unavailability | { readonly reason: string },
  calls: readonly StoredCall[],
): Promise<undefined> {
  const { payout } = leased;
  const reason = typeof waits === "string" ? waits : waits.reason;
  const isPreflight = waits !== reason;
  const isTemporary = isPreflight
    ? !isOverdue(payout.createdAt, deps.clock.now(), deps.stuckAfterMs)
    : ["LOW_GAS", "LOW_FUNDS", "PAUSED", "DOWN"].includes(reason);
  const isShown = isPreflight || waits === "LOW_GAS" || waits === "LOW_FUNDS";
  deps.log.debug({ payout_id: payout.id, waits: reason }, "payout waits for its rail");
  const waitMs = queueWaitMs(deps, payout);
  const entry: StoredCall = {
    kind: "answer",
    at: deps.clock.now(),
    said: `not sent: ${reason}`.slice(0, textMax),
  };
  return release(deps.payouts, leased, {
    work: fromNow(deps, waitMs),
    calls: isShown ? [...calls, entry] : calls,
    ...(!isTemporary && overdueException(deps, payout)),
  });
}

/**
 * Defers a payout until its beneficiary is cleared. This also applies to a payout that its rail has
 * lost and that must be sent again.
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
  deps.log.debug(
    { payout_id: payout.id, screening: status },
    "payout waits: its beneficiary's screening is not clear",
  );
  return release(deps.payouts, leased, {
    work: fromNow(deps, wait.waitMs),
    calls,
    ...(wait.isChange && { uncleared: { wait: wait.uncleared, at } }),
    ...(wait.needsOperator && overdueException(deps, payout)),
  });
}

/**
 * Submits a payout under its id, if its beneficiary is cleared now. `calls` are earlier rail calls
 * that are not stored yet.
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
  const checked = await preflight(deps, leased.payout, rail, instruction);
  if (checked.kind === "wait") return waitForRail(deps, leased, checked, calls);
  if (checked.kind === "refuse") return refuseUnsent(deps, leased, rail, checked.failure, calls);
  const funded = await fundPayout(deps, leased, rail, calls);
  if (funded === undefined) return undefined;
  const { name } = rail;
  const lease = renewedLease(deps);
  const expectedAt = rail.expectedAt?.(transferOf(leased.payout), lease.at);
  const detail = `submitting to ${name}`;
  const cause = "submitted" as const;
  const step = { cause, detail, ...lease, submitTo: name, expectedAt, calls };
  const submitting = await takeStep(deps, funded, { stage: "submitting" }, step);
  if (submitting === undefined) return undefined;
  const { id } = submitting.payout;
  const call = { payoutId: id, rail: name, operation: "submit" } as const;
  const send = answering(deps, leased.payout, () => rail.submit(id, instruction));
  return applyResponse(deps, submitting, await callRail(deps, call, send));
}

/**
 * Lets a rail check a payout before the first submission. If the rail does not respond, the payout
 * waits.
 */
async function preflight(
  { log }: RailWorkerDeps,
  { id: payout_id, submittedAt }: Payout,
  rail: Rail,
  instruction: Instruction,
): Promise<Preflight> {
  // After a submission, the rail may have the payout. From then on only the rail decides.
  const { preflight: check } = rail;
  if (submittedAt !== undefined || check === undefined) return { kind: "ok" };
  try {
    return await withTimeout(railTimeoutMs, () => check(instruction));
  } catch (error) {
    log.warn({ err: error, payout_id }, "rail did not respond to a preflight check");
    return { kind: "wait", reason: "no response to the preflight" };
  }
}

/**
 * Fails a payout that its rail refused in the preflight. No rail has the payout, so its money is
 * released.
 */
async function refuseUnsent(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  { name }: Rail,
  failure: Failure,
  calls: readonly StoredCall[],
): Promise<StepResult | undefined> {
  const step = {
    cause: "rejected",
    detail: `the rail ${name} refused the payout before it was sent`,
    calls,
  } as const;
  const outcome = { kind: "rejected", failure } as const;
  const decided = await takeStep(
    deps,
    leased,
    { stage: "concluding", outcome },
    { ...step, ...renewedLease(deps) },
  );
  return decided && { leased: decided, pollAt: "done" };
}

/**
 * Reads a payout's payment instruction in one call to the beneficiary service. Returns the status
 * instead if the beneficiary is not cleared. A missing beneficiary and an unknown status count as
 * not cleared. A block that is set after the response comes too late.
 */
async function readInstruction(
  { beneficiary }: Pick<RailWorkerDeps, "beneficiary">,
  { quote, order }: Payout,
): Promise<Instruction | { readonly uncleared: UnclearedStatus }> {
  const { merchantId, beneficiary: paid, destination, receivingMinor } = quote;
  const response = beneficiary.getPaymentInstruction({ merchantId, beneficiaryId: paid.id });
  const found = await response.catch((error: unknown) => {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  });
  if (found === undefined) return { uncleared: "missing" };
  const screening = enumName(ScreeningStatus, found.screeningStatus) ?? "pending";
  if (screening !== "cleared") return { uncleared: screening };
  return {
    merchantId,
    ...paymentTexts(order.details),
    currency: destination,
    amount: receivingMinor,
    transferMethod: found.transferMethod,
    network: found.network,
    beneficiaryName: found.beneficiaryName,
    accountNumber: found.accountNumber,
    routingCodeType: found.routingCodeType1,
    routingCodeValue: found.routingCodeValue1,
    destinationCountry: found.destinationCountry,
    accountType: found.accountType,
    bankAccountType: found.bankAccountType,
    address: {
      street: found.address?.street ?? "",
      city: found.address?.city ?? "",
      state: found.address?.state ?? "",
      postcode: found.address?.postcode ?? "",
      countryCode: found.address?.countryCode ?? "",
    },
  };
}

/** Defers a payout whose rail is no longer configured, and raises an exception. */
function waitForOperator(deps: RailWorkerDeps, leased: LeasedPayout): Promise<undefined> {
  const { payout } = leased;
  deps.log.error(
    { payout_id: payout.id, rail: payout.rail },
    "payout not sent: its rail is not configured",
  );
  const work = fromNow(deps, queueWaitMaxMs);
  return release(deps.payouts, leased, { work, ...overdueException(deps, payout) });
}

/**
 * Polls the rail about a payout. If the rail never received the payout, submits it again under the
 * same key.
 */
async function poll(deps: RailWorkerDeps, leased: LeasedPayout): Promise<StepResult | undefined> {
  const { payout } = leased;
  const rail = deps.rails.named(payout.rail);
  if (rail === undefined) return waitForOperator(deps, leased);
  const call = { payoutId: payout.id, rail: rail.name, operation: "query" } as const;
  const ask = answering(deps, payout, () => rail.query(payout.id));
  const response = await callRail(deps, call, ask);
  const isLost = response.status.kind === "not_received" && payout.progress.stage !== "settled";
  if (!isLost) return applyResponse(deps, leased, response);
  const waits = await deps.rails.unavailability(rail);
  return waits === undefined
    ? submit(deps, leased, rail, [response.call])
    : waitForRail(deps, leased, waits, [response.call]);
}

/**
 * Polls the rail of a failed payout, as long as the rail requests it or when the rail has news. A
 * chain may lose the transaction that caused a rejection, and a bank may debit a payment after its
 * rejection. An unknown status does not contradict the outcome.
 */
async function recheckFailed(deps: RailWorkerDeps, leased: LeasedPayout) {
  const { payout } = leased;
  const rail = deps.rails.named(payout.rail);
  if (rail === undefined) return release(deps.payouts, leased, { work: "done" });
  const call = { payoutId: payout.id, rail: rail.name, operation: "query" } as const;
  const response = await callRail(deps, call, () => rail.query(payout.id));
  const isOpen = ["accepted", "unknown", "not_received"].includes(response.status.kind);
  if (!isOpen || response.contradiction !== undefined) return applyResponse(deps, leased, response);
  const work = nextPollAt(deps, payout, response);
  return release(deps.payouts, leased, { work, calls: [response.call] });
}

/** Moves the money of a decided outcome once, before the outcome is published. */
async function moveMoney(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
  pollAt: Date | "done",
): Promise<undefined> {
  const { clock } = deps;
  const pending = pendingMovement(leased.payout.progress);
  if (pending === undefined) throw new Error("the payout has no pending movement");
  await movePending(deps, leased.payout, pending.step);
  const { stage } = pending.to;
  const cause = causeOfEnd(pending.to);
  const work = workAfter(stage, pollAt, clock.now());
  const step = { cause, detail: `${pending.step} applied`, at: clock.now(), work } as const;
  await takeStep(deps, leased, pending.to, step);
  return undefined;
}

/**
 * Returns the time of the next poll of an ended payout. If the rail has reported a return, work
 * continues at once.
 */
function workAfter(stage: Progress["stage"], pollAt: Date | "done", now: Date): Date | "done" {
  if (stage === "returning") return now;
  return stage === "settled" || stage === "rejected" ? pollAt : "done";
}

/** The interval at which one worker polls for due work that no notification announced. */
export const pollMs = 100;
/** The poll interval of that worker after 10 s without work. */
const restMs = 1_000;
/** The poll interval of the other workers. Notifications usually wake them earlier. */
const othersMs = 60_000;

type RailWorkersOptions = {
  readonly count: number;
  /** The same notification as the `work` of the leases. Each one wakes one worker. */
  readonly work: Wake;
  readonly manual?: ManualLoops | undefined;
};

/** Starts concurrent workers that advance payouts. A worker that finds work wakes the next one. */
export function startRailWorkers(deps: RailWorkerDeps, options: RailWorkersOptions): Loop {
  const { leases, log } = deps;
  const { count, work: wake, manual } = options;
  const onTaken = (): void => {
    if (leases.mayHaveMore()) wake.notify();
  };
  const run = async () => (await workOnDuePayout(deps, onTaken)) && leases.mayHaveMore();
  const workers = Array.from({ length: count }, (_each, at) => {
    const pace = at === 0 ? { everyMs: pollMs, restMs } : { everyMs: othersMs };
    return startLoop({ name: "rail-worker", ...pace, wake, run, log, manual });
  });
  return {
    /** Waits for the current work to end, and releases waiting payouts to other processes. */
    stop: async (): Promise<void> => {
      await Promise.all(workers.map((worker) => worker.stop()));
      await leases.releaseHeld();
    },
  };
}

/**
 * Cancels a payout and releases its money, if its approval has expired by the database's clock. A
 * concurrent approval writes the same document, so only one of the two takes effect.
 */
async function expireApproval(
  deps: RailWorkerDeps,
  leased: LeasedPayout,
): Promise<StepResult | undefined> {
  const { approval, exception } = leased.payout;
  if (approval === undefined) throw new Error("the payout has no pending approval");
  const found = await findWithTime(deps.payouts, leased.payout.id);
  const leftMs = approval.expiresAt.getTime() - (found?.now.getTime() ?? 0);
  if (leftMs > 0) {
    return release(deps.payouts, leased, { work: fromNow(deps, Math.max(leftMs, retryMs)) });
  }
  if (exception?.kind === "contradicted") {
    return release(deps.payouts, leased, { work: fromNow(deps, queueWaitMaxMs) });
  }
  const because = "approval_expired" as const;
  const expired = await takeStep(
    deps,
    leased,
    { stage: "concluding", outcome: { kind: "cancelled", because } },
    {
      cause: because,
      detail: "nobody approved the payout in time",
      ...renewedLease(deps),
      decides: { decision: { as: "expired", at: deps.clock.now() }, inTime: false },
    },
  );
  return expired && { leased: expired, pollAt: "done" };
}
