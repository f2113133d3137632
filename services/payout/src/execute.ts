import { type Client, Code, ConnectError } from "@connectrpc/connect";
import { callContext } from "@disburse/chassis/call-context.ts";
import { type StoredActor, serviceMutation } from "@disburse/chassis/mutation.ts";
import { readRefusal } from "@disburse/chassis/rpc-refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { AccountStore } from "./account-store.ts";
import { movementKey } from "./domain/account.ts";
import { executedBefore, fundable, type PayoutRefusal, payable } from "./domain/payable.ts";
import { type ClaimedQuote, type Payout, payoutFrom, payoutIdOf } from "./domain/payout.ts";
import type { PayoutStore } from "./payout-store.ts";
import { claimedQuote, type ReadQuote, readExecutable } from "./quote-wire.ts";

export type ExecuteDeps = {
  readonly accounts: AccountStore;
  readonly payouts: PayoutStore;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  /** Told that a hold has its payout; need not be done at once, nor survive a crash. */
  readonly closeHold: (accountId: string, key: string) => void;
  /** Called when there is an event to publish and a payout to submit. */
  readonly wake: () => void;
};

/** What a merchant asks for, its fields checked. */
export type ExecuteRequest = {
  readonly merchantId: string;
  readonly quoteId: string;
  readonly referenceId: string;
  readonly operationId: string;
  readonly actor: StoredActor;
};

type Outcome = Payout | Refused<PayoutRefusal>;

/**
 * Hold → claim → create (docs/ARCHITECTURE.md tells why it is safe). A crash or an error in between
 * leaves the hold, which the sweep takes through the rest or releases; the claim decides, whoever
 * asks.
 */
export async function executePayout(deps: ExecuteDeps, request: ExecuteRequest): Promise<Outcome> {
  const { accounts, payouts } = deps;
  const { merchantId, operationId, quoteId } = request;
  const repeated = await payouts.findByOperation(merchantId, operationId);
  if (repeated !== undefined) return repeated;
  const startedAt = await accounts.databaseTime();
  const read = await readQuote(deps, quoteId);
  if (read === undefined) return refused("RECORD_NOT_FOUND");
  const next = payable(read.executable, merchantId, read.now);
  if (isRefused(next)) return next;
  const { corridorOpen } = read.executable;
  const answer = (outcome: Outcome) => answerTo(operationId, outcome, corridorOpen);
  if (next === "complete") return answer(await completeClaimed(deps, read, request));
  const fit = fundable(read.executable, await isCleared(deps, merchantId, read.beneficiaryId));
  if (isRefused(fit)) return fit;
  const held = await hold(deps, request, read, accounts.deadlineAfter(startedAt));
  if (isRefused(held)) return held;
  return answer(await claimAndCreate(deps, read.accountId, request));
}

/** The payout for its own operation; for any other, why it gets none. */
function answerTo(operationId: string, outcome: Outcome, corridorOpen: boolean): Outcome {
  if (isRefused(outcome)) return outcome;
  const before = executedBefore(outcome.quote.claim, operationId, corridorOpen);
  return isRefused(before) ? before : outcome;
}

async function readQuote(deps: ExecuteDeps, quoteId: string): Promise<ReadQuote | undefined> {
  try {
    return readExecutable(await deps.quote.getClaimableQuote({ quoteId }));
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  }
}

async function isCleared(
  deps: ExecuteDeps,
  merchantId: string,
  beneficiaryId: string,
): Promise<boolean> {
  const { beneficiary } = await deps.beneficiary.getBeneficiary({ merchantId, beneficiaryId });
  return beneficiary?.screeningStatus === ScreeningStatus.CLEARED;
}

/** Sets the money aside under the payout's id; a hold that is there already is success. */
async function hold(
  deps: ExecuteDeps,
  request: ExecuteRequest,
  quote: ReadQuote,
  deadline: Date,
): Promise<"held" | Refused<PayoutRefusal>> {
  const payoutId = payoutIdOf(request.quoteId);
  const movement = {
    key: movementKey(payoutId, "hold"),
    step: "hold",
    amount: quote.executable.sourceMinor,
    payoutId,
    note: request.referenceId,
  } as const;
  const requestId = callContext()?.requestId;
  const intent = {
    quote_id: request.quoteId,
    reference_id: request.referenceId,
    operation_id: request.operationId,
    actor: request.actor,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
  const { merchantId } = request;
  const target = { merchantId, accountId: quote.accountId, deadline, intent };
  const made = await deps.accounts.apply(target, movement);
  switch (made.outcome) {
    case "applied":
      return "held";
    case "insufficient":
      return refused("INSUFFICIENT_BALANCE");
    case "no_account":
      return refused("RECORD_NOT_FOUND");
    case "too_late":
      throw new ConnectError("the request took too long", Code.Unavailable);
  }
}

/** From here on nothing is decided but by the claim. */
export async function claimAndCreate(
  deps: ExecuteDeps,
  accountId: string,
  request: ExecuteRequest,
): Promise<Outcome> {
  const { quoteId, referenceId, merchantId } = request;
  const payoutId = payoutIdOf(quoteId);
  try {
    const mutation = serviceMutation("payout", request.operationId);
    const claimed = await deps.quote.claimQuote({ mutation, quoteId, payoutId, referenceId });
    return await create(deps, claimedQuote(claimed), request.actor);
  } catch (error) {
    if (readRefusal(error)?.code !== "QUOTE_EXPIRED") throw error;
    await releaseHold(deps, merchantId, accountId, payoutId);
    return refused("QUOTE_EXPIRED");
  }
}

/** Finishes a payout whose claim stands but which a crash left without its record. */
async function completeClaimed(
  deps: ExecuteDeps,
  read: ReadQuote,
  request: ExecuteRequest,
): Promise<Outcome> {
  const existing = await deps.payouts.readAny(payoutIdOf(request.quoteId));
  if (existing !== undefined) return existing;
  return claimAndCreate(deps, read.accountId, request);
}

async function create(deps: ExecuteDeps, quote: ClaimedQuote, actor: StoredActor): Promise<Payout> {
  const payout = await deps.payouts.insert(payoutFrom(quote), actor);
  deps.closeHold(quote.accountId, movementKey(payout.id, "hold"));
  deps.wake();
  return payout;
}

/** Gives held money back after the claim was refused for good. Once, whoever does it. */
async function releaseHold(
  { accounts }: ExecuteDeps,
  merchantId: string,
  accountId: string,
  payoutId: string,
): Promise<void> {
  const deadline = accounts.deadlineAfter(await accounts.databaseTime());
  const held = await accounts.findMovement(accountId, movementKey(payoutId, "hold"));
  if (held === undefined) return;
  const key = movementKey(payoutId, "release");
  if ((await accounts.findMovement(accountId, key)) === undefined) {
    const { amount } = held;
    const movement = { key, step: "release", amount, payoutId, note: "quote expired" } as const;
    const made = await accounts.apply({ merchantId, accountId, deadline }, movement);
    if (made.outcome !== "applied") throw new Error(`hold not released: ${made.outcome}`);
  }
  await accounts.closeHolds(accountId, [movementKey(payoutId, "hold")]);
}
