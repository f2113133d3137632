import type { FaultKind } from "../faults.ts";
import { type SimulatedBeneficiary, wasStopped } from "../network/beneficiary-stub.ts";
import type { RailState } from "../rail/state.ts";
import type { Scheduler } from "../scheduler/scheduler.ts";
import type { OnCommit } from "../store/primary.ts";
import type { Document } from "../store/value.ts";
import { asPayout } from "./payouts.ts";

const orderTransitions: ReadonlySet<string> = new Set([
  ...["undefined waiting", "waiting waiting", "waiting executed", "waiting failed"],
  ...["waiting cancelled", "executed executed", "failed failed", "cancelled cancelled"],
  // An order with a reservation waits once its money is reserved. Without that it is removed.
  ...["undefined reserving", "reserving reserving", "reserving waiting", "reserving undefined"],
  // A revoked key's scheduled payout is held until another actor decides.
  ...["waiting awaiting_approval", "awaiting_approval awaiting_approval"],
  ...["awaiting_approval waiting", "awaiting_approval failed", "awaiting_approval cancelled"],
]);
const batchTransitions: ReadonlySet<string> = new Set([
  ...["undefined awaiting_approval", "awaiting_approval awaiting_approval"],
  ...["awaiting_approval running", "awaiting_approval cancelled", "running awaiting_approval"],
  ...["running running", "running finished", "finished finished", "cancelled cancelled"],
]);

const countedTransitions: Readonly<Record<string, FaultKind>> = {
  "waiting failed": "order failed",
  "running finished": "batch finished",
};

const transitions: Readonly<Record<string, ReadonlySet<string>>> = {
  scheduled_payouts: orderTransitions,
  // A record of an execute whose quote another operation has claimed is removed.
  waiting_payouts: new Set([...orderTransitions, "waiting undefined"]),
  batch_lines: orderTransitions,
  batches: batchTransitions,
};

type Decision = { readonly as: "approved" | "rejected" | "expired" };
type StoredApproval = { readonly expires_at: Date; readonly decision?: Decision };

const countedDecisions = {
  approved: "payout approved",
  rejected: "payout rejected by an approver",
  expired: "approval expired",
} as const;

/** A rule that must hold for each write, not only at the end. */
type Rule = (before: Document | undefined, after: Document | undefined, now: Date) => string[];

export class WriteObserver {
  readonly broken: string[] = [];
  readonly #scheduler: Scheduler;
  readonly #beneficiaries: ReadonlyMap<string, SimulatedBeneficiary>;
  /**
   * True time of each payout's last lease. After taking the lease, the worker reads the
   * beneficiary.
   */
  readonly #leasedMs = new Map<string, number>();
  readonly #railState: Pick<RailState, "isFunded">;
  readonly #held = new Set<string>();
  /** The payouts that wait for balance, with the true time since which each does. */
  readonly #inLine = new Map<string, { readonly document: Document; readonly sinceMs: number }>();
  /** Callbacks for orders to be bound to their quotes. */
  readonly #quoted = new Map<string, () => void>();
  /**
   * The time when each payout's execute took its lock, by the process's clock. A wrong clock may
   * give a much earlier time. Also holds the true times when payouts were stored and when they
   * failed.
   */
  readonly turnMs = new Map<string, number>();
  readonly storedMs = new Map<string, number>();
  readonly failedMs = new Map<string, number>();

  constructor(
    scheduler: Scheduler,
    beneficiaries: ReadonlyMap<string, SimulatedBeneficiary>,
    railState: Pick<RailState, "isFunded">,
  ) {
    this.#scheduler = scheduler;
    this.#railState = railState;
    this.#beneficiaries = beneficiaries;
  }

  readonly listen: OnCommit = (collection, earlier, later, writtenMs) => {
    const isPayout = collection === "payouts";
    const [before, after] = isPayout ? [asPayout(earlier), asPayout(later)] : [earlier, later];
    if (isPayout && asPayout(earlier) !== undefined && after === undefined) {
      this.broken.push(`payouts ${earlier?._id}: is no payout any more`);
    }
    if (isPayout && after === undefined) return;
    const id = String((after ?? before)?._id);
    const { faults } = this.#scheduler;
    this.#quoted.get(quotedBy(collection, before, after) ?? "")?.();
    this.#time(collection, before, after, writtenMs);
    const wrong = rules[collection]?.(before, after, new Date(writtenMs)) ?? [];
    wrong.push(...wrongOrder(collection, before, after, faults.count));
    if (isPayout) wrong.push(...this.#payout(id, before, after, writtenMs));
    if (collection === "accounts") this.#follow(before, after);
    if (collection === "waiting_payouts") wrong.push(...this.#line(before, after, writtenMs));
    this.broken.push(...wrong.map((each) => `${collection} ${id}: ${each}`));
  };

  /** Resolves when an order is bound to a quote. Its payout is created next. */
  quoted(orderId: string): Promise<void> {
    return new Promise((resolve) => this.#quoted.set(orderId, resolve));
  }

  /** Records when an execute takes its lock and when its payout is stored. */
  #time(
    collection: string,
    before: Document | undefined,
    after: Document | undefined,
    nowMs: number,
  ): void {
    const taken = String(after?.payout_id);
    if (collection === "execution_locks" && after !== undefined && !this.turnMs.has(taken)) {
      this.turnMs.set(taken, nowMs);
    }
    if (collection !== "payouts") return;
    if (before === undefined) this.storedMs.set(String(after?._id), nowMs);
    const isFailed = after?.status === "failed" && before?.status !== "failed";
    if (isFailed) this.failedMs.set(String(after._id), nowMs);
  }

  #payout(
    id: string,
    before: Document | undefined,
    after: Document | undefined,
    nowMs: number,
  ): string[] {
    const { faults } = this.#scheduler;
    const at = { faults, nowMs };
    return [
      ...this.#clearance(id, before, after, nowMs),
      ...this.#funding(id, before, after),
      ...wrongApproval(at, before, after, isSubmission(before, after)),
    ];
  }

  /** Requires that a payout from a rail account holds money in that account before it is sent. */
  #funding(id: string, before: Document | undefined, after: Document | undefined): string[] {
    if (stageOf(after) === "awaiting_funds" && stageOf(before) !== "awaiting_funds") {
      this.#scheduler.faults.count("payout waited for funds");
    }
    const isUnheld = this.#railState.isFunded && !this.#held.has(id);
    return wrongIf(isSubmission(before, after) && isUnheld, "was sent and no money is held for it");
  }

  /**
   * Requires that a payout that waits for balance is leased only if no older one of its account has
   * waited for a while. A worker that was suspended may lease one shortly after an older one has
   * come back.
   */
  #line(before: Document | undefined, after: Document | undefined, nowMs: number): string[] {
    const { faults } = this.#scheduler;
    const id = String((after ?? before)?._id);
    const waits = waitOf(after);
    const wasInLine = this.#inLine.get(id);
    this.#inLine.delete(id);
    if (after !== undefined && waits?.in_line === true && after.state === "waiting") {
      const sinceMs = wasInLine?.sinceMs ?? nowMs;
      this.#inLine.set(id, { document: after, sinceMs });
    }
    if (waitOf(before)?.preparing === true && waits?.preparing !== true && after !== undefined) {
      faults.count("payout waited for balance");
    }
    if (waits?.reason === "COST_ABOVE_MAXIMUM" && waitOf(before)?.reason !== waits.reason) {
      faults.count("price above a maximum");
    }
    const ended = countedWaits[`${before?.state} ${after?.state}`];
    if (ended !== undefined) faults.count(ended);
    const wasLeased = before?.lease !== undefined || before?.quote !== undefined;
    if (after?.lease === undefined || wasLeased || waits?.in_line !== true) return [];
    if (waits.has_expired === true || before === undefined) return [];
    const overtaken = [...this.#inLine.values()].find(
      ({ document, sinceMs }) =>
        document.account_id === after.account_id &&
        document.lease === undefined &&
        isOlder(document, after) &&
        nowMs - sinceMs > lineToleranceMs,
    );
    return wrongIf(overtaken !== undefined, `overtook ${overtaken?.document._id}`);
  }

  #follow(before: Document | undefined, after: Document | undefined): void {
    if (after?.merchant_id !== "platform") return;
    const known = numberOf(before, "sequence");
    for (const { sequence, step, payout_id } of after.recent as Movement[]) {
      if (sequence <= known) continue;
      if (step === "rail_hold") this.#held.add(payout_id);
      else if (step === "rail_post" || step === "rail_release") this.#held.delete(payout_id);
    }
    const isBelow = (account: Document | undefined) => String(account?.available).startsWith("-");
    if (isBelow(after) && !isBelow(before)) this.#scheduler.faults.count("rail account overdrawn");
  }

  /**
   * A worker leases a payout, reads its beneficiary, then sends the payout. If the beneficiary was
   * stopped during all of this time, the payout must not be sent.
   */
  #clearance(
    id: string,
    before: Document | undefined,
    after: Document | undefined,
    nowMs: number,
  ): string[] {
    const token = tokenOf(after);
    if (token !== undefined && token !== tokenOf(before)) this.#leasedMs.set(id, nowMs);
    if (before?.uncleared === undefined && after?.uncleared !== undefined) {
      this.#scheduler.faults.count("payout waited for clearance");
    }
    const isSent = isSubmission(before, after);
    const beneficiary = this.#beneficiaries.get(String(after?.beneficiary_id));
    const since = this.#leasedMs.get(id) ?? nowMs;
    const isStopped = beneficiary !== undefined && wasStopped(beneficiary, since, nowMs);
    return wrongIf(isSent && isStopped, "was sent though its beneficiary was stopped");
  }
}

type Movement = { sequence: number; step: string; payout_id: string };

function stageOf(payout: Document | undefined): string | undefined {
  return (payout?.progress as { stage: string } | undefined)?.stage;
}

function tokenOf(payout: Document | undefined): string | undefined {
  return (payout?.lease as { token: string } | undefined)?.token;
}

/** Detects the last write before a submission. */
function isSubmission(before: Document | undefined, after: Document | undefined): boolean {
  const [known, last] = [lastCall(before), lastCall(after)];
  const isSame = known?.kind === "submit" && known.at.getTime() === last?.at.getTime();
  return last?.kind === "submit" && !isSame;
}

function lastCall(payout: Document | undefined) {
  return (payout?.calls as { kind: string; at: Date }[] | undefined)?.at(-1);
}

function wrongIf(isWrong: boolean, what: string): string[] {
  return isWrong ? [what] : [];
}

const statusTransitions = new Set([
  "undefined initiated",
  "initiated initiated",
  "initiated succeeded",
  "initiated failed",
  "succeeded succeeded",
  "succeeded failed",
  "failed failed",
]);

const rules: Readonly<Record<string, Rule>> = {
  accounts: (before, after) => [
    // A bank's charges may exceed the balance: docs/decisions/0050.
    ...wrongIf(
      String(after?.available).startsWith("-") && after?.merchant_id !== "platform",
      "available fell below zero",
    ),
    ...wrongIf(String(after?.held).startsWith("-"), "held fell below zero"),
    ...wrongIf(numberOf(after, "sequence") < numberOf(before, "sequence"), "went back"),
  ],
  ledger_entries: (before) => wrongIf(before !== undefined, "a ledger entry was changed"),
  payouts: (before, after) => {
    const way = `${before?.status} ${after?.status}`;
    // The first version of a payout that waited for balance is that of its record.
    const first = before === undefined && hasWaited(after) ? 1 : numberOf(before, "version");
    const raised = numberOf(after, "version") - first;
    const isChanged = before?.status !== after?.status;
    return [
      ...wrongIf(!statusTransitions.has(way), `went from ${way.replace(" ", " to ")}`),
      ...wrongIf(raised !== Number(isChanged), `its version rose by ${raised}, ${way}`),
      ...wrongIf(numberOf(after, "revision") < numberOf(before, "revision"), "went back"),
    ];
  },
  deliveries: (before, after) => {
    const isReopened = before !== undefined && before.state !== "pending";
    return wrongIf(isReopened && before.state !== after?.state, `left ${before?.state}`);
  },
  quotes: (before, after, now) => {
    const isClaim = after?.state === "claimed" && before?.state !== "claimed";
    return [
      ...wrongIf(isClaim && now >= (after.expires_at as Date), "was claimed after its expiry"),
      ...wrongIf(isClaim && before?.state !== "open", `was claimed when ${before?.state}`),
      ...wrongIf(before?.state === "claimed" && after?.state !== "claimed", "lost its claim"),
    ];
  },
};

function hasWaited(payout: Document | undefined): boolean {
  return (payout?.order as Document | undefined)?.waited !== undefined;
}

function waitOf(record: Document | undefined): Document | undefined {
  return record?.balance as Document | undefined;
}

/** A process may be suspended for this long between its read of the line and its lease. */
const lineToleranceMs = 60_000;

const countedWaits: Readonly<Record<string, FaultKind>> = {
  "waiting executed": "waiting payout paid",
  "waiting failed": "waiting payout failed",
  "waiting cancelled": "waiting payout cancelled",
};

function isOlder(one: Document, other: Document): boolean {
  const byTime = (one.created_at as Date).getTime() - (other.created_at as Date).getTime();
  return byTime === 0 ? String(one._id) < String(other._id) : byTime < 0;
}

function numberOf(document: Document | undefined, field: string): number {
  return Number(document?.[field] ?? 0);
}

/** Checks a payout's approval in one write. `isSent` marks the last write before a submission. */
function wrongApproval(
  { faults, nowMs }: Pick<Scheduler, "faults"> & { readonly nowMs: number },
  before: Document | undefined,
  after: Document | undefined,
  isSent: boolean,
): string[] {
  const approval = after?.approval as StoredApproval | undefined;
  if (approval === undefined) return [];
  const { decision, expires_at } = approval;
  const known = (before?.approval as StoredApproval | undefined)?.decision;
  const isApproved = decision?.as === "approved";
  const wrong: string[] = [];
  if (isSent && !isApproved) wrong.push("was sent without the approval that it needs");
  if (before === undefined) {
    const isWaiting = isAwaiting(after);
    if (isWaiting === isApproved) wrong.push("was made approved and waiting, or neither");
    faults.count(isApproved ? "approval given before" : "payout waited for approval");
    return wrong;
  }
  if (known !== undefined && known.as !== decision?.as) wrong.push("was decided on twice");
  if (known !== undefined || decision === undefined) return wrong;
  faults.count(countedDecisions[decision.as]);
  const isOver = nowMs >= expires_at.getTime();
  if (isOver !== (decision.as === "expired")) wrong.push(`was ${decision.as} at the wrong time`);
  return wrong;
}

function isAwaiting(payout: Document | undefined): boolean {
  const progress = payout?.progress as { stage: string } | undefined;
  return progress?.stage === "awaiting_approval";
}

/** Checks one write of an order or batch. `count` is called for each tested case. */
function wrongOrder(
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
  count: (kind: FaultKind) => void,
): string[] {
  const allowed = transitions[collection];
  if (allowed === undefined) return [];
  const way = `${before?.state} ${after?.state}`;
  const kind = countedTransitions[way];
  if (kind !== undefined && collection !== "waiting_payouts") count(kind);
  const isShort = collection === "batches" && after?.balance !== undefined;
  if (isShort && before?.balance === undefined) count("batch waited for balance");
  if (before?.reserved === true && after !== undefined && after.reserved === undefined) {
    count(after.state === "executed" ? "reservation taken" : "reservation given back");
  }
  if (after?.rejection !== undefined && before?.rejection === undefined) count("batch rejected");
  const isOther = before?.payout_id !== undefined && before.payout_id !== after?.payout_id;
  return [
    ...(allowed.has(way) ? [] : [`went from ${way.replace(" ", " to ")}`]),
    ...(isOther ? ["has another payout than before"] : []),
  ];
}

/**
 * Returns the order that a write binds to its first quote. After this write, the quote decides
 * whether the order is paid.
 */
function quotedBy(
  collection: string,
  before: Document | undefined,
  after: Document | undefined,
): string | undefined {
  const isBound = before?.quote === undefined && after?.quote !== undefined;
  const isOrder = collection === "scheduled_payouts" || collection === "waiting_payouts";
  return isOrder && isBound ? String(after._id) : undefined;
}
