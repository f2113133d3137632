import { type PublicRefusal, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Ledger } from "@disburse/ledger/accounts.ts";
import type { DuplicateGuard } from "../controls/duplicates.ts";
import { duplicateKeys } from "../controls/rules/duplicate-keys.ts";
import type { Lease, Payouts } from "../payouts/document.ts";
import { markReissued } from "../payouts/reissued.ts";
import type { GivenApproval } from "../payouts/rules/approval.ts";
import { newPayout } from "../payouts/rules/deciding.ts";
import {
  heldFor,
  holdOf,
  type Payout,
  type PayoutOrder,
  payoutIdOf,
} from "../payouts/rules/payout.ts";
import {
  type Created,
  findPayout,
  freeOperation,
  insertPayout,
  placeOrder,
  removeOrder,
} from "../payouts/store.ts";
import type { VelocityReservations } from "../velocity/reservations.ts";
import { countForApproval } from "./approval-window.ts";
import { type Claimed, enclosed, readClaimed } from "./quote.ts";
import { approvalFor, beneficiaryFor, type ReadDeps, type ReadQuote, readQuote } from "./reads.ts";
import { fundable, type Payable, payable, sameOperation } from "./rules/payable.ts";

export type ExecuteDeps = ReadDeps & {
  readonly ledger: Ledger;
  readonly payouts: Payouts;
  readonly reservations: Pick<VelocityReservations, "reserve" | "count">;
  readonly duplicates: DuplicateGuard;
  readonly clock: Clock;
  /** Returns the lease for a new payout that this process submits at once, or `undefined`. */
  readonly leaseNew: () => Lease | undefined;
  /** Called after a payout is created, to publish its event and to submit it. */
  readonly onCreated: (created: Created, lease: Lease | undefined) => void;
};

export type ExecuteRequest = Omit<PayoutOrder, "approval"> & {
  /** An approval given before the execute, such as that of a batch. */
  readonly given?: GivenApproval | undefined;
  /** The payout to reissue. The quote must have been created for the same payout. */
  readonly reissueOf?: string;
  /**
   * True if the payout waits after a refusal for too little money. Its operation then stays bound
   * to it.
   */
  readonly mayWait?: boolean;
  /** The scheduled payout whose reservation the hold takes the money from. */
  readonly reservedFor?: string | undefined;
};

type ExecuteResult = Payout | Refused<PublicRefusal>;

/**
 * Executes a quote once per operation. A refused or failed request may be a repeat of an earlier
 * one. In that case this returns the earlier result.
 */
export async function executePayout(deps: ExecuteDeps, request: ExecuteRequest) {
  const result = await execute(deps, request).catch(async (error: unknown) => {
    const repeated = await findRepeated(deps, request).catch(() => undefined);
    if (repeated === undefined) throw error;
    return repeated;
  });
  return isRefused(result) ? ((await findRepeated(deps, request)) ?? result) : result;
}

/**
 * Stores the order, holds the money, claims the quote and creates the payout, in this order.
 * docs/explanation/architecture.md explains why this is safe. After a crash or error, the account sweep finds
 * the hold: it creates the payout if the quote can be claimed, and otherwise releases the money.
 * Velocity limits are reserved first. After a crash, the reservation sweep settles them
 * (docs/decisions/0038).
 */
async function execute(deps: ExecuteDeps, request: ExecuteRequest): Promise<ExecuteResult> {
  const { merchantId, quoteId } = request;
  const read = await readQuote(deps, quoteId);
  if (read === undefined) return refused("RECORD_NOT_FOUND");
  const next = payable(read.executable, merchantId, read.now);
  if (isRefused(next)) return next;
  // A quote for a reissue can only be executed as a reissue of the same payout.
  if (next === "hold" && read.reissueOf !== request.reissueOf) return refused("RECORD_NOT_FOUND");
  const { operationId } = request;
  const { corridorOpen } = read.executable;
  const respond = (result: ExecuteResult) => forOperation(operationId, result, corridorOpen);
  const { claim } = read;
  if (next === "complete") {
    const existing = await findPayout(deps.payouts, claim?.payoutId ?? payoutIdOf(request));
    if (existing !== undefined) return (await findRepeated(deps, request)) ?? respond(existing);
  }
  const beneficiary = await beneficiaryFor(deps, read, next);
  const since = beneficiary?.createdAt;
  // The claim's order decides which payout the quote creates, even if another quote has its id.
  if (claim !== undefined && claim.payoutId !== payoutIdOf(request)) {
    return respond(await orderAndPay(deps, claim.order, read, { next, since }));
  }
  if (next === "hold") {
    const fit = fundable(read.executable, beneficiary?.screening);
    if (isRefused(fit)) return fit;
  }
  const lock = next === "hold" ? await enterGuard(deps, request, read) : undefined;
  if (isRefused(lock)) return lock;
  const result = await orderAndPay(deps, request, read, { next, since });
  // After an error the outcome is unknown, so the lock stays until it expires.
  await lock?.end(isRefused(result) ? "refused" : "stored");
  return respond(result);
}

/**
 * Takes the duplicate guard's lock for the payout's reference. Does nothing if the merchant has no
 * guard.
 */
async function enterGuard(
  { duplicates }: ExecuteDeps,
  request: ExecuteRequest,
  { accountId, destinationKeys, currency: source, destination, executable, ...read }: ReadQuote,
) {
  const { merchantId, details, allowDuplicate, reservedFor } = request;
  if (allowDuplicate) return undefined;
  const { sourceMinor, receivingMinor } = executable;
  const { now, sentAt, receivedAt } = read;
  return duplicates.enter({
    ...heldFor(request),
    reservedFor,
    merchantId,
    accountId,
    duplicateKeys: duplicateKeys(destinationKeys, details.referenceId),
    source,
    sourceMinor,
    destination,
    receivingMinor,
    now,
    sentAt,
    receivedAt,
  });
}

async function orderAndPay(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  read: ReadQuote,
  { next, since }: { readonly next: Payable; readonly since: Date | undefined },
): Promise<ExecuteResult> {
  const toCount = toReserve(request, read);
  const reservation = next === "hold" ? await deps.reservations.reserve(toCount) : undefined;
  if (isRefused(reservation)) return reservation;
  const { isOverWindow, giveUp } = await countForApproval(deps, toCount);
  const need = approvalFor(deps, read, { beneficiaryCreatedAt: since, isOverWindow });
  const { given, reissueOf: _, mayWait = false, reservedFor, ...ordered } = request;
  const asOrdered = need === undefined ? ordered : { ...ordered, approval: { ...need, given } };
  // The order is stored even for a claimed quote, because a restored backup may have lost the order
  // and the hold.
  const orderedAt = performance.now();
  const placed = await placeOrder(deps.payouts, asOrdered);
  if (isRefused(placed)) {
    await reservation?.giveUp();
    await giveUp();
    return placed;
  }
  const { order, onlyTry } = placed;
  if (reservedFor !== undefined) {
    const result = await payFromReservation(deps, order, read, reservedFor);
    if (isRefused(result) && onlyTry !== undefined) {
      await freeOperation(deps.payouts, order, onlyTry);
    }
    return result;
  }
  const held = await hold(deps, order, read, onlyTry === undefined ? undefined : orderedAt);
  // After a refusal no money is held, so the limits are released. After an error the money may be
  // held, so the limits stay reserved.
  if (isRefused(held)) {
    await reservation?.giveUp();
    await giveUp();
    if (onlyTry !== undefined && !mayWait) await removeOrder(deps.payouts, order, onlyTry);
    return held;
  }
  const result = await claimAndCreate(deps, read.accountId, order);
  if (isRefused(result) && onlyTry !== undefined) await freeOperation(deps.payouts, order, onlyTry);
  return result;
}

/** Returns the payout if this operation already created it. Refuses if the request body differs. */
async function findRepeated(
  { payouts }: ExecuteDeps,
  request: ExecuteRequest,
): Promise<Payout | typeof otherContent | undefined> {
  const { merchantId, operationId, content } = request;
  const payout = await findPayout(payouts, payoutIdOf(request), { merchant_id: merchantId });
  if (payout?.order.operationId !== operationId) return undefined;
  return payout.order.content === content ? payout : otherContent;
}

/** Refuses if another operation created the payout. */
function forOperation(operationId: string, outcome: ExecuteResult, corridorOpen: boolean) {
  if (isRefused(outcome)) return outcome;
  const check = sameOperation(outcome.order, operationId, corridorOpen);
  return isRefused(check) ? check : outcome;
}

/** The payout's values that count towards limits and approval rules. */
function toReserve(request: ExecuteRequest, quote: ReadQuote) {
  const { merchantId, quoteId, actor } = request;
  const { accountId, destinationKeys, currency, executable } = quote;
  return {
    payoutId: holdOf(request),
    quoteId,
    merchantId,
    accountId,
    destinationKeys,
    actorRoot: rootOfActor(actor),
    currency,
    amount: executable.sourceMinor,
  };
}

/**
 * Holds the money under the order's hold id. A repeated hold succeeds. `orderedAt` is a time before
 * this process stored the quote's first order.
 */
async function hold(
  deps: ExecuteDeps,
  order: PayoutOrder,
  { accountId, executable }: ReadQuote,
  orderedAt: number | undefined,
  reservedFor?: string,
) {
  const { merchantId, details } = order;
  const movement = {
    step: "hold",
    ...heldFor(order),
    amount: executable.sourceMinor,
    note: details.referenceId,
    ...(reservedFor !== undefined && { reservedFor }),
  } as const;
  const { outcome } = await deps.ledger.apply({ merchantId, accountId, orderedAt }, movement);
  switch (outcome) {
    case "applied":
      return "held";
    case "insufficient":
      return refused("INSUFFICIENT_BALANCE");
    case "closed":
      return refused("SOURCE_ACCOUNT_CLOSED");
    case "no_account":
      return refused("RECORD_NOT_FOUND");
    default:
      throw new Error(`the payout's money could not be held: ${outcome}`);
  }
}

/**
 * Claims the quote and creates the payout. If the claim is refused, releases the held money.
 * Nothing but the claim decides whether the payout exists.
 */
export async function claimAndCreate(
  deps: ExecuteDeps,
  accountId: string,
  order: PayoutOrder,
): Promise<ExecuteResult> {
  const claimed = await claim(deps, order);
  if (isRefused(claimed)) {
    await releaseHold(deps, accountId, order);
    return claimed;
  }
  return claimed.existing ?? create(deps, claimed.claim);
}

/**
 * Claims the quote, turns the reservation into the payout's hold, and creates the payout. The
 * reserved money is safe until the claim, and stays reserved if the quote has expired. So no other
 * payout can take it before the next quote. After a crash the order's next worker finds the claim,
 * and continues.
 */
async function payFromReservation(
  deps: ExecuteDeps,
  order: PayoutOrder,
  read: ReadQuote,
  reservedFor: string,
): Promise<ExecuteResult> {
  const claimed = await claim(deps, order);
  if (isRefused(claimed)) return claimed;
  if (claimed.existing !== undefined) return claimed.existing;
  const held = await hold(deps, order, read, undefined, reservedFor);
  if (!isRefused(held)) return create(deps, claimed.claim);
  // The reservation covers the quote and ends only here, or with a quote that can't be claimed.
  throw new Error(`the quote is claimed, but its reserved money is missing: ${held.refused}`);
}

type ClaimResult =
  | { readonly claim: Claimed; readonly existing?: never }
  | { readonly existing: Payout };

/** Claims the quote. Returns the payout if it exists although the claim is lost. */
async function claim(
  deps: ExecuteDeps,
  order: PayoutOrder,
): Promise<ClaimResult | Refused<"QUOTE_EXPIRED" | "ALREADY_PROCESSED">> {
  const { quoteId, operationId } = order;
  const payoutId = payoutIdOf(order);
  const claiming = { mutation: { operationId }, quoteId, payoutId, order: enclosed(order) };
  try {
    return { claim: readClaimed(await deps.quote.claimQuote(claiming)) };
  } catch (error) {
    const code = readRefusal(error)?.code;
    // Another payout has claimed the quote, or no payout can: both are final.
    if (code !== "QUOTE_EXPIRED" && code !== "ALREADY_PROCESSED") throw error;
    // A restored backup may have lost only the claim. The payout then exists and keeps its hold.
    const existing = await findPayout(deps.payouts, payoutId);
    const isOwn = existing !== undefined && existing.order.quoteId === quoteId;
    return isOwn ? { existing } : refused(code);
  }
}

async function create(deps: ExecuteDeps, { quote, order }: Claimed): Promise<Payout> {
  const fresh = newPayout(quote, order);
  // A payout that awaits approval gets no lease.
  const lease = fresh.progress.stage === "queued" ? deps.leaseNew() : undefined;
  if (quote.reissueOf !== undefined) await markReissued(deps.payouts, fresh, deps.clock.now());
  const inserted = await insertPayout(deps.payouts, fresh, lease);
  const { payout } = inserted;
  deps.ledger.closeHold(quote.accountId, holdOf(payout.order));
  if (inserted.events !== undefined) deps.onCreated(inserted, lease);
  return payout;
}

/**
 * Releases held money after a refused claim. This is safe because a refused claim never succeeds
 * later.
 */
export async function releaseHold(
  { ledger }: Pick<ExecuteDeps, "ledger">,
  accountId: string,
  order: Pick<PayoutOrder, "merchantId" | "quoteId" | "waited">,
): Promise<void> {
  const { merchantId } = order;
  const held = heldFor(order);
  const movement = { step: "release", ...held, ofOrder: true, note: "quote expired" } as const;
  const { outcome } = await ledger.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied")
    throw new Error(
      `the money held for a payout with an expired quote was not released: ${outcome}`,
    );
}
