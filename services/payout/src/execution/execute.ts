import type { Client } from "@connectrpc/connect";
import { callContext } from "@disburse/chassis/call-context.ts";
import { type StoredActor, serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { AccountStore } from "../ledger/accounts.ts";
import { type ClaimedQuote, type Payout, payoutFrom, payoutIdOf } from "../payouts/rules/payout.ts";
import type { PayoutStore } from "../payouts/store.ts";
import type { PayoutRefusal } from "../refusals.ts";
import { claimedQuote, type ReadQuote, readExecutable } from "./quote.ts";
import { executedBefore, fundable, payable } from "./rules/payable.ts";
import type { ExecutionStore } from "./store.ts";

export type ExecuteDeps = {
  readonly accounts: AccountStore;
  readonly executions: ExecutionStore;
  readonly payouts: PayoutStore;
  readonly clock: Clock;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  /** Told that a hold has its payout; need not be done at once, nor survive a crash. */
  readonly closeHold: (accountId: string, payoutId: string) => void;
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

type ExecuteResult = Payout | Refused<PayoutRefusal>;

/**
 * Hold → claim → create (docs/ARCHITECTURE.md tells why it is safe). A crash or an error in between
 * leaves the hold, which the sweep takes through the rest or releases; the claim decides, whoever
 * asks.
 */
export async function executePayout(
  deps: ExecuteDeps,
  request: ExecuteRequest,
): Promise<ExecuteResult> {
  const { merchantId, quoteId } = request;
  const repeated = await findRepeated(deps, request);
  if (repeated !== undefined) return repeated;
  const read = await readQuote(deps, quoteId);
  if (read === undefined) return refused("RECORD_NOT_FOUND");
  const next = payable(read.executable, merchantId, read.now);
  if (isRefused(next)) return next;
  const { operationId } = request;
  const { corridorOpen } = read.executable;
  const answer = (outcome: ExecuteResult) => answerTo(operationId, outcome, corridorOpen);
  if (next === "complete") return answer(await completeClaimed(deps, read, request));
  const fit = fundable(read.executable, await isCleared(deps, merchantId, read.beneficiaryId));
  if (isRefused(fit)) return fit;
  const bound = await deps.executions.bind(merchantId, operationId, quoteId, deps.clock.now());
  if (bound !== quoteId) return otherQuote;
  const held = await hold(deps, request, read);
  if (isRefused(held)) return held;
  return answer(await claimAndCreate(deps, read.accountId, request));
}

const otherQuote = refused("INVALID_REQUEST", "operation_id: was used for another quote");

/** The payout that this operation made of this quote before. */
async function findRepeated(
  { payouts }: ExecuteDeps,
  { merchantId, operationId, quoteId }: ExecuteRequest,
): Promise<Payout | undefined> {
  const payout = await payouts.read(merchantId, payoutIdOf(quoteId));
  return payout?.quote.claim.operationId === operationId ? payout : undefined;
}

/** The payout for its own operation; for any other, why it gets none. */
function answerTo(
  operationId: string,
  outcome: ExecuteResult,
  corridorOpen: boolean,
): ExecuteResult {
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
): Promise<"held" | Refused<PayoutRefusal>> {
  const { merchantId, referenceId } = request;
  const movement = {
    step: "hold",
    payoutId: payoutIdOf(request.quoteId),
    amount: quote.executable.sourceMinor,
    note: referenceId,
  } as const;
  const requestId = callContext()?.requestId;
  const intent = {
    quote_id: request.quoteId,
    reference_id: referenceId,
    operation_id: request.operationId,
    actor: request.actor,
    ...(requestId === undefined ? {} : { request_id: requestId }),
  };
  const target = { merchantId, accountId: quote.accountId, intent };
  const { outcome } = await deps.accounts.apply(target, movement);
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

/** From here on nothing is decided but by the claim. */
export async function claimAndCreate(
  deps: ExecuteDeps,
  accountId: string,
  request: ExecuteRequest,
): Promise<ExecuteResult> {
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
): Promise<ExecuteResult> {
  const existing = await deps.payouts.findPayout(payoutIdOf(request.quoteId));
  if (existing !== undefined) return existing;
  return claimAndCreate(deps, read.accountId, request);
}

async function create(deps: ExecuteDeps, quote: ClaimedQuote, actor: StoredActor): Promise<Payout> {
  const payout = await deps.payouts.insert(payoutFrom(quote), actor);
  deps.closeHold(quote.accountId, payout.id);
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
  const movement = { step: "release", payoutId, note: "quote expired" } as const;
  const { outcome } = await accounts.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied") throw new Error(`hold not released: ${outcome}`);
  await accounts.closeHolds(accountId, [payoutId]);
}
