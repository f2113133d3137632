import type { Client } from "@connectrpc/connect";
import { currentOrigin } from "@disburse/chassis/call-context.ts";
import type { Database } from "@disburse/chassis/mongo/database.ts";
import { insertOrFind } from "@disburse/chassis/mongo/once.ts";
import {
  isOther,
  type RequestedChange,
  type StoredContent,
} from "@disburse/chassis/mutations/content.ts";
import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { type Change, type StoredActor, serviceMutation } from "@disburse/chassis/rpc/mutation.ts";
import { type PublicRefusal, readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import { isRefused, otherContent, type Refused, refused } from "@disburse/kernel/refusal.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import type { Collection } from "mongodb";
import { closeHolds, type Ledger } from "../ledger/accounts.ts";
import type { Lease, Payouts } from "../payouts/document.ts";
import {
  type ClaimedQuote,
  type Payout,
  payoutFrom,
  payoutIdOf,
  type SentTexts,
} from "../payouts/rules/payout.ts";
import { type Created, findPayout, insertPayout } from "../payouts/store.ts";
import type { VelocityRoom } from "../velocity/room.ts";
import { claimedQuote, type ReadQuote, readExecutable } from "./quote.ts";
import { executedBefore, fundable, payable } from "./rules/payable.ts";

/** The quote that an operation is for: bound before money is held, and never changed. */
type ExecutionDocument = StoredContent & {
  /** `<merchant id>:<operation id>`. */
  _id: string;
  schema_version: number;
  quote_id: string;
  created_at: Date;
};

/** Where operations are bound to quotes. */
export function openExecutions({ db }: Database): Collection<ExecutionDocument> {
  return db.collection<ExecutionDocument>("executions");
}

/** What execute works with. */
export type ExecuteDeps = {
  readonly ledger: Ledger;
  readonly executions: Collection<ExecutionDocument>;
  readonly payouts: Payouts;
  readonly room: Pick<VelocityRoom, "reserve">;
  readonly clock: Clock;
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  /** Closes a hold whose payout exists; may be late, and lost in a crash. */
  readonly closeHold: (accountId: string, payoutId: string) => void;
  /** The lease to store a payout with that this process submits at once. */
  readonly leaseNew: () => Lease | undefined;
  /** Called with a payout that was created: to publish its event, and to submit it. */
  readonly onCreated: (created: Created, lease: Lease | undefined) => void;
};

/** A merchant's request, its fields checked. */
export type ExecuteRequest = RequestedChange & QuoteClaim;

/** What a quote is claimed with. */
type QuoteClaim = Change &
  SentTexts & {
    readonly merchantId: string;
    readonly quoteId: string;
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
 * Hold → claim → create (docs/ARCHITECTURE.md says why it is safe). A crash or an error in between
 * leaves the hold; the sweep completes or releases it, as the claim decides. Room within velocity
 * limits is reserved before, and a crash leaves it to a sweep too (docs/decisions/0038).
 */
async function execute(deps: ExecuteDeps, request: ExecuteRequest): Promise<ExecuteResult> {
  const { merchantId, quoteId } = request;
  const read = await readQuote(deps, quoteId);
  if (read === undefined) return refused("RECORD_NOT_FOUND");
  const next = payable(read.executable, merchantId, read.now);
  if (isRefused(next)) return next;
  const { operationId } = request;
  const { corridorOpen } = read.executable;
  const answer = (result: ExecuteResult) => answerTo(operationId, result, corridorOpen);
  if (next === "hold") {
    const fit = fundable(read.executable, await screeningOf(deps, merchantId, read.beneficiaryId));
    if (isRefused(fit)) return fit;
  } else {
    const existing = await findPayout(deps.payouts, payoutIdOf(quoteId));
    if (existing !== undefined) return (await findRepeated(deps, request)) ?? answer(existing);
  }
  // Of a claimed quote too: where the claim outlived a restored backup, its hold did not.
  if (!(await bindOperation(deps, request))) return otherContent;
  const held = await (next === "hold" ? holdWithin : hold)(deps, request, read);
  if (isRefused(held)) return held;
  return answer(await claimAndCreate(deps, read.accountId, request));
}

function executionId({ merchantId, operationId }: Pick<QuoteClaim, "merchantId" | "operationId">) {
  return `${merchantId}:${operationId}`;
}

/** Binds the operation to its quote and content; `false`: it is bound to others already. */
async function bindOperation(
  { executions, clock }: ExecuteDeps,
  { merchantId, operationId, quoteId, content }: ExecuteRequest,
): Promise<boolean> {
  const _id = executionId({ merchantId, operationId });
  const bound = { quote_id: quoteId, operation_content: content };
  const execution = { _id, schema_version: 1, ...bound, created_at: clock.now() };
  const first = await insertOrFind(executions, execution, { _id });
  return first.quote_id === quoteId && !isOther(first, content);
}

/** The payout that this operation made of this quote before; refused where its content differs. */
async function findRepeated(
  { executions, payouts }: ExecuteDeps,
  { merchantId, operationId, quoteId, content }: ExecuteRequest,
): Promise<Payout | typeof otherContent | undefined> {
  const payout = await findPayout(payouts, payoutIdOf(quoteId), { merchant_id: merchantId });
  if (payout?.quote.claim.operationId !== operationId) return undefined;
  const bound = await executions.findOne({ _id: executionId({ merchantId, operationId }) });
  return bound !== null && isOther(bound, content) ? otherContent : payout;
}

/** The payout for its own operation; for another one, the refusal. */
function answerTo(operationId: string, outcome: ExecuteResult, corridorOpen: boolean) {
  if (isRefused(outcome)) return outcome;
  const before = executedBefore(outcome.quote.claim, operationId, corridorOpen);
  return isRefused(before) ? before : outcome;
}

/** The quote as the quote service has it now; `undefined` where there is none. */
export async function readQuote(
  deps: Pick<ExecuteDeps, "quote">,
  quoteId: string,
): Promise<ReadQuote | undefined> {
  try {
    return readExecutable(await deps.quote.getClaimableQuote({ quoteId }));
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  }
}

async function screeningOf(deps: ExecuteDeps, merchantId: string, beneficiaryId: string) {
  const { beneficiary } = await deps.beneficiary.getBeneficiary({ merchantId, beneficiaryId });
  return beneficiary && wordOf(ScreeningStatus, beneficiary.screeningStatus);
}

/** Holds the money of a payout for which velocity limits have room; a refusal gives it back. */
async function holdWithin(deps: ExecuteDeps, request: ExecuteRequest, quote: ReadQuote) {
  const { merchantId, quoteId } = request;
  const { accountId, beneficiaryId, currency } = quote;
  const room = await deps.room.reserve({
    ...{ payoutId: payoutIdOf(quoteId), quoteId, merchantId, accountId, beneficiaryId },
    ...{ currency, amount: quote.executable.sourceMinor },
  });
  if (isRefused(room)) return room;
  // Where it is not known whether the money is held, the room stays reserved.
  const held = await hold(deps, request, quote);
  if (isRefused(held)) await room.giveUp();
  return held;
}

/** Holds the money under the payout's id; a repeated hold is success. */
async function hold(deps: ExecuteDeps, request: ExecuteRequest, quote: ReadQuote) {
  const { merchantId, referenceId, remittanceInformation, purposeCode } = request;
  const movement = {
    step: "hold",
    payoutId: payoutIdOf(request.quoteId),
    amount: quote.executable.sourceMinor,
    note: referenceId,
  } as const;
  const intent = {
    quote_id: request.quoteId,
    reference_id: referenceId,
    ...(remittanceInformation !== "" && { remittance_information: remittanceInformation }),
    ...(purposeCode !== "" && { purpose_code: purposeCode }),
    operation_id: request.operationId,
    actor: request.actor,
    ...currentOrigin(),
  };
  const target = { merchantId, accountId: quote.accountId, intent };
  const { outcome } = await deps.ledger.apply(target, movement);
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
  request: QuoteClaim,
): Promise<ExecuteResult> {
  const { quoteId, merchantId, referenceId, remittanceInformation, purposeCode } = request;
  const payoutId = payoutIdOf(quoteId);
  try {
    const mutation = serviceMutation("payout", request.operationId);
    const texts = { referenceId, remittanceInformation, purposeCode };
    const claimed = await deps.quote.claimQuote({ mutation, quoteId, payoutId, ...texts });
    return await create(deps, claimedQuote(claimed), request.actor);
  } catch (error) {
    if (readRefusal(error)?.code !== "QUOTE_EXPIRED") throw error;
    await releaseHold(deps, merchantId, accountId, payoutId);
    return refused("QUOTE_EXPIRED");
  }
}

async function create(deps: ExecuteDeps, quote: ClaimedQuote, actor: StoredActor): Promise<Payout> {
  const lease = deps.leaseNew();
  const inserted = await insertPayout(deps.payouts, payoutFrom(quote), actor, lease);
  const { payout } = inserted;
  deps.closeHold(quote.accountId, payout.id);
  if ("created" in inserted) deps.onCreated(inserted, lease);
  return payout;
}

/** Releases held money, once, after the claim was refused: that answer is final. */
async function releaseHold(
  { ledger }: ExecuteDeps,
  merchantId: string,
  accountId: string,
  payoutId: string,
): Promise<void> {
  const movement = { step: "release", payoutId, note: "quote expired" } as const;
  const { outcome } = await ledger.apply({ merchantId, accountId }, movement);
  if (outcome !== "applied") throw new Error(`hold not released: ${outcome}`);
  await closeHolds(ledger, accountId, [payoutId]);
}
