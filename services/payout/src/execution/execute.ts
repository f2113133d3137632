import { type PublicRefusal, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import { rootOfActor } from "@disburse/kernel/actor.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { DuplicateGuard } from "../controls/duplicates.ts";
import { duplicateKeys } from "../controls/rules/duplicate-keys.ts";
import type { Ledger } from "../ledger/accounts.ts";
import type { Lease, Payouts } from "../payouts/document.ts";
import { markReissued } from "../payouts/reissued.ts";
import type { GivenApproval } from "../payouts/rules/approval.ts";
import { newPayout } from "../payouts/rules/deciding.ts";
import { type Payout, type PayoutOrder, payoutIdOf } from "../payouts/rules/payout.ts";
import {
  type Created,
  findPayout,
  insertPayout,
  placeOrder,
  removeOrder,
} from "../payouts/store.ts";
import type { VelocityRoom } from "../velocity/room.ts";
import { countForApproval } from "./approval-window.ts";
import { type Claimed, enclosed, readClaimed } from "./quote.ts";
import { approvalFor, beneficiaryFor, type ReadDeps, type ReadQuote, readQuote } from "./reads.ts";
import { executedBefore, fundable, type Payable, payable } from "./rules/payable.ts";

/** What execute works with. */
export type ExecuteDeps = ReadDeps & {
  readonly ledger: Ledger;
  readonly payouts: Payouts;
  readonly room: Pick<VelocityRoom, "reserve" | "count">;
  readonly duplicates: DuplicateGuard;
  readonly clock: Clock;
  /** The lease to store a payout with that this process submits at once. */
  readonly leaseNew: () => Lease | undefined;
  /** Called with a payout that was created: to publish its event, and to submit it. */
  readonly onCreated: (created: Created, lease: Lease | undefined) => void;
};

/** A merchant's request, its fields checked. */
export type ExecuteRequest = Omit<PayoutOrder, "approval"> & {
  /** An approval that was given before, where the merchant's rules ask for one. */
  readonly given?: GivenApproval | undefined;
  /** The payout that is paid again, which is bound to the quote. */
  readonly reissueOf?: string;
};

type ExecuteResult = Payout | Refused<PublicRefusal>;

/**
 * Executes a quote, once by its operation: what is refused or fails now may be a repeat, which gets
 * its first result.
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
 * Order → hold → claim → create (docs/ARCHITECTURE.md says why it is safe). A crash or an error in
 * between leaves the hold and its order; the sweep completes or releases it, as the claim decides. Room within velocity
 * limits is reserved before, and a crash leaves it to a sweep too (docs/decisions/0038).
 */
async function execute(deps: ExecuteDeps, request: ExecuteRequest): Promise<ExecuteResult> {
  const { merchantId, quoteId } = request;
  const read = await readQuote(deps, quoteId);
  if (read === undefined) return refused("RECORD_NOT_FOUND");
  const next = payable(read.executable, merchantId, read.now);
  if (isRefused(next)) return next;
  // A quote that no payout is bound to, or another one's.
  if (next === "hold" && read.reissueOf !== request.reissueOf) return refused("RECORD_NOT_FOUND");
  const { operationId } = request;
  const { corridorOpen } = read.executable;
  const answer = (result: ExecuteResult) => answerTo(operationId, result, corridorOpen);
  if (next === "complete") {
    const existing = await findPayout(deps.payouts, payoutIdOf(quoteId));
    if (existing !== undefined) return (await findRepeated(deps, request)) ?? answer(existing);
  }
  const beneficiary = await beneficiaryFor(deps, read, next);
  if (next === "hold") {
    const fit = fundable(read.executable, beneficiary?.screening);
    if (isRefused(fit)) return fit;
  }
  const turn = next === "hold" ? await enterGuard(deps, request, read) : undefined;
  if (isRefused(turn)) return turn;
  const result = await orderAndPay(deps, request, read, { next, since: beneficiary?.createdAt });
  // After an error it is not known what becomes of the payout: the turn ends by itself.
  await turn?.end(isRefused(result) ? "refused" : "stored");
  return answer(result);
}

/** The execute's turn among those of its reference, where there is a guard against duplicates. */
async function enterGuard(
  { duplicates }: ExecuteDeps,
  { merchantId, quoteId, details, allowDuplicate }: ExecuteRequest,
  { accountId, destinationKeys, currency: source, destination, executable, ...read }: ReadQuote,
) {
  if (allowDuplicate) return undefined;
  const { sourceMinor, receivingMinor } = executable;
  const { now, askedAt, answeredAt } = read;
  return duplicates.enter({
    payoutId: payoutIdOf(quoteId),
    merchantId,
    accountId,
    duplicateKeys: duplicateKeys(destinationKeys, details.referenceId),
    source,
    sourceMinor,
    destination,
    receivingMinor,
    now,
    askedAt,
    answeredAt,
  });
}

async function orderAndPay(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  read: ReadQuote,
  { next, since }: { readonly next: Payable; readonly since: Date | undefined },
): Promise<ExecuteResult> {
  const asked = askedRoom(request, read);
  const room = next === "hold" ? await deps.room.reserve(asked) : undefined;
  if (isRefused(room)) return room;
  const { isOverWindow, giveUp } = await countForApproval(deps, asked);
  const need = approvalFor(deps, read, { beneficiaryCreatedAt: since, isOverWindow });
  const { given, reissueOf: _, ...ordered } = request;
  const asOrdered = need === undefined ? ordered : { ...ordered, approval: { ...need, given } };
  // Also for a claimed quote: a restored backup may have lost its order and hold.
  const orderedAt = performance.now();
  const placed = await placeOrder(deps.payouts, asOrdered);
  if (isRefused(placed)) {
    await room?.giveUp();
    await giveUp();
    return placed;
  }
  const { order, onlyTry } = placed;
  const held = await hold(deps, order, read, onlyTry === undefined ? undefined : orderedAt);
  // After an error the money may be held, so the limits stay reserved.
  if (isRefused(held)) {
    await room?.giveUp();
    await giveUp();
  }
  const result = isRefused(held) ? held : await claimAndCreate(deps, read.accountId, order);
  if (isRefused(result) && onlyTry !== undefined) await removeOrder(deps.payouts, order, onlyTry);
  return result;
}

/** The payout that this operation made of this quote before; refused where its content differs. */
async function findRepeated(
  { payouts }: ExecuteDeps,
  { merchantId, operationId, quoteId, content }: ExecuteRequest,
): Promise<Payout | typeof otherContent | undefined> {
  const payout = await findPayout(payouts, payoutIdOf(quoteId), { merchant_id: merchantId });
  if (payout?.order.operationId !== operationId) return undefined;
  return payout.order.content === content ? payout : otherContent;
}

/** The payout for its own operation; for another one, the refusal. */
function answerTo(operationId: string, outcome: ExecuteResult, corridorOpen: boolean) {
  if (isRefused(outcome)) return outcome;
  const before = executedBefore(outcome.order, operationId, corridorOpen);
  return isRefused(before) ? before : outcome;
}

/** A payout as limits and rules count it. */
function askedRoom({ merchantId, quoteId, actor }: ExecuteRequest, quote: ReadQuote) {
  const { accountId, destinationKeys, currency, executable } = quote;
  return {
    payoutId: payoutIdOf(quoteId),
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
 * Holds the money under the payout's id; a repeated hold is success. `orderedAt`: no order of the
 * quote is older.
 */
async function hold(
  deps: ExecuteDeps,
  { merchantId, quoteId, details }: PayoutOrder,
  { accountId, executable }: ReadQuote,
  orderedAt: number | undefined,
) {
  const movement = {
    step: "hold",
    payoutId: payoutIdOf(quoteId),
    amount: executable.sourceMinor,
    note: details.referenceId,
  } as const;
  const { outcome } = await deps.ledger.apply({ merchantId, accountId, orderedAt }, movement);
  switch (outcome) {
    case "applied":
      return "held";
    case "insufficient":
      return refused("INSUFFICIENT_BALANCE");
    case "no_account":
      return refused("RECORD_NOT_FOUND");
    default:
      throw new Error(`hold not applied: ${outcome}`);
  }
}

/** Claims the quote and creates the payout; from here on the claim alone decides. */
export async function claimAndCreate(
  deps: ExecuteDeps,
  accountId: string,
  order: PayoutOrder,
): Promise<ExecuteResult> {
  const { quoteId, merchantId, operationId } = order;
  const payoutId = payoutIdOf(quoteId);
  const claim = { mutation: { operationId }, quoteId, payoutId, order: enclosed(order) };
  try {
    return await create(deps, readClaimed(await deps.quote.claimQuote(claim)));
  } catch (error) {
    if (readRefusal(error)?.code !== "QUOTE_EXPIRED") throw error;
    // If a restored backup lost only the claim, the payout exists and keeps its hold.
    const existing = await findPayout(deps.payouts, payoutId);
    if (existing !== undefined) return existing;
    await releaseHold(deps, merchantId, accountId, payoutId);
    return refused("QUOTE_EXPIRED");
  }
}

async function create(deps: ExecuteDeps, { quote, order }: Claimed): Promise<Payout> {
  const made = newPayout(quote, order);
  // What waits for approval is not worked on.
  const lease = made.progress.stage === "queued" ? deps.leaseNew() : undefined;
  if (quote.reissueOf !== undefined) await markReissued(deps.payouts, made, deps.clock.now());
  const inserted = await insertPayout(deps.payouts, made, lease);
  const { payout } = inserted;
  deps.ledger.closeHold(quote.accountId, payout.id);
  if (inserted.events !== undefined) deps.onCreated(inserted, lease);
  return payout;
}

/** Releases held money, once, after the claim was refused: that answer is final. */
async function releaseHold(
  { ledger }: ExecuteDeps,
  merchantId: string,
  accountId: string,
  payoutId: string,
): Promise<void> {
  const movement = { step: "release", payoutId, ofOrder: true, note: "quote expired" } as const;
  const { outcome } = await ledger.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied") throw new Error(`hold not released: ${outcome}`);
}
