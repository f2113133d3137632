import { Code, ConnectError } from "@connectrpc/connect";
import type { RequestedChange } from "@disburse/chassis/mutations/content.ts";
import { type PublicRefusal, publicRefusals } from "@disburse/chassis/rpc/refusal.ts";
import { formatAmount, parseAmount } from "@disburse/kernel/money.ts";
import { invalidRequest, isRefused, type Refused, refused } from "@disburse/kernel/refusal.ts";
import { type ExecuteDeps, executePayout } from "../execution/execute.ts";
import { expireQuote, requestQuote } from "../execution/quoting.ts";
import { readQuote } from "../execution/reads.ts";
import { bindReissue } from "../payouts/reissued.ts";
import { fixedOf, type Payout, type PayoutDetails, type Reissue } from "../payouts/rules/payout.ts";
import { findPayout } from "../payouts/store.ts";
import { isWorkedOn, nextOfReissue, operationOfAttempt, reissueDetails } from "./rules/reissue.ts";

/** A validated request to reissue a payout. A field that is "" keeps its value. */
export type ReissueRequest = RequestedChange &
  Pick<PayoutDetails, "referenceId" | "metadata"> & {
    readonly merchantId: string;
    readonly payoutId: string;
    readonly beneficiaryId: string;
    readonly maxSourceAmount: string;
    readonly allowDuplicate: boolean;
  };

type Reissued = Payout | Refused<PublicRefusal>;

/**
 * The maximum number of rounds in one request. Without it, a request would never end if quotes
 * expired at once.
 */
const roundsMax = 4;

/**
 * Reissues a returned or rejected payout, once. The payout is bound to one quote before that quote
 * is executed. It is bound to another quote only after the first one has expired permanently. The
 * expiry is written to the quote's own document, so no later claim can succeed. Of several
 * concurrent or stalled requests, therefore, only one pays. The new payout is recorded after the
 * claim of the quote and before the new payout is stored (`claimAndCreate`).
 */
export async function reissuePayout(deps: ExecuteDeps, request: ReissueRequest): Promise<Reissued> {
  const { merchantId, payoutId } = request;
  for (let round = 1; round <= roundsMax; round += 1) {
    // Each round reads the payout again, because the previous round or a concurrent writer may have
    // changed it.
    const payout = await findPayout(deps.payouts, payoutId, { merchant_id: merchantId });
    if (payout === undefined) return refused("RECORD_NOT_FOUND");
    const next = nextOfReissue(payout, request);
    if (isRefused(next)) return next;
    const { reissue } = payout;
    if (next === "execute" && reissue !== undefined) {
      const result = await execute(deps, request, payout, reissue);
      if (!isRefused(result)) return result;
      // The quote is already claimed, so the next round completes its payout.
      if (!(await expireQuote(deps, reissue.operationId, reissue.quoteId))) continue;
      if (result.refused !== "QUOTE_EXPIRED") return result;
    }
    if (next === "end" && reissue !== undefined) await endOther(deps, reissue);
    const bound = await quoteAndBind(deps, request, payout);
    if (isRefused(bound)) return bound;
  }
  throw new ConnectError("the payout is being reissued: repeat the request", Code.Unavailable);
}

function execute(deps: ExecuteDeps, request: ReissueRequest, payout: Payout, bound: Reissue) {
  const { merchantId, actor, allowDuplicate } = request;
  const { quoteId, operationId } = bound;
  return executePayout(deps, {
    merchantId,
    quoteId,
    operationId,
    actor,
    allowDuplicate,
    reissueOf: payout.id,
    details: reissueDetails(payout.order.details, request),
    content: quoteId,
  });
}

/** Expires the quote of another request, unless that request is executing it. */
async function endOther(deps: ExecuteDeps, other: Reissue): Promise<void> {
  const read = await readQuote(deps, other.quoteId);
  const isOpen = read?.executable.state === "open";
  const isBusy = isOpen && isWorkedOn(other, deps.clock.now());
  if (isBusy || !(await expireQuote(deps, other.operationId, other.quoteId))) {
    throw new ConnectError("the payout is being reissued: repeat the request", Code.Unavailable);
  }
}

/** Binds a payout to a new quote with the payout's terms, or returns the refusal of the quote. */
async function quoteAndBind(
  deps: ExecuteDeps,
  request: ReissueRequest,
  payout: Payout,
): Promise<"bound" | "another was faster" | Refused<PublicRefusal>> {
  const { id: reissueOf, quote: before } = payout;
  const { merchantId, accountId, source, destination } = before;
  const max =
    request.maxSourceAmount === "" ? undefined : parseAmount(request.maxSourceAmount, source);
  if (isRefused(max)) {
    return invalidRequest([{ field: "max_source_amount", problem: max.detail ?? "" }]);
  }
  const attempt = (payout.reissue?.attempt ?? 0) + 1;
  const operationId = operationOfAttempt(payout.id, attempt, request);
  const quote = await requestQuote(deps, operationId, {
    merchantId,
    accountId,
    source,
    destination,
    reissueOf,
    beneficiaryId: request.beneficiaryId || before.beneficiary.id,
    ...fixedOf(before),
  });
  if (isRefused(quote)) return asPublic(quote);
  if (max !== undefined && quote.source > max) {
    const cost = `${formatAmount(quote.source, source)} ${source}`;
    return refused(
      "AMOUNT_NOT_WITHIN_LIMITS",
      `The quote costs ${cost}, more than max_source_amount.`,
    );
  }
  const bound = { quoteId: quote.id, attempt, operationId, boundAt: deps.clock.now() };
  return (await bindReissue(deps.payouts, payout, bound)) ? "bound" : "another was faster";
}

function asPublic(refusal: Refused<string>): Refused<PublicRefusal> {
  const { refused: code } = refusal;
  if (!isPublic(code)) throw new Error(`the quote service refused with the internal code ${code}`);
  return { ...refusal, refused: code };
}

function isPublic(code: string): code is PublicRefusal {
  return Object.hasOwn(publicRefusals, code);
}
