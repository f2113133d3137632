import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { wordOf } from "@disburse/chassis/enum-words.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { ClockReading } from "../controls/duplicates.ts";
import { approvalNeed, type JudgedPayout } from "../controls/rules/approval.ts";
import type { PayoutControls } from "../controls/settings.ts";
import type { ApprovalNeed } from "../payouts/rules/approval.ts";
import { readExecutable } from "./quote.ts";
import type { Payable } from "./rules/payable.ts";

/** What an execute asks of its neighbours, and of its merchant's rules. */
export type ReadDeps = {
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly controls: Pick<PayoutControls, "of">;
};

/** A quote to execute, its account, beneficiary and source currency, and its database's clock. */
export type ReadQuote = ReturnType<typeof readExecutable> & ClockReading;

/** The quote as the quote service has it now; `undefined` where there is none. */
export async function readQuote(
  deps: Pick<ReadDeps, "quote">,
  quoteId: string,
): Promise<ReadQuote | undefined> {
  const askedAt = performance.now();
  try {
    const read = readExecutable(await deps.quote.getClaimableQuote({ quoteId }));
    return { ...read, askedAt, answeredAt: performance.now() };
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  }
}

/** A beneficiary's screening status, and since when it is there. */
export async function readBeneficiary(
  deps: Pick<ReadDeps, "beneficiary">,
  merchantId: string,
  beneficiaryId: string,
) {
  const { screeningStatus, createdAt } = await deps.beneficiary.getBeneficiaryStatus({
    merchantId,
    beneficiaryId,
  });
  return {
    screening: wordOf(ScreeningStatus, screeningStatus),
    createdAt: createdAt && timestampDate(createdAt),
  };
}

/** The beneficiary, where the next step asks for it, or its merchant's rules do. */
export async function beneficiaryFor(deps: ReadDeps, read: ReadQuote, next: Payable) {
  const { merchantId } = read.executable;
  if (next === "hold") return readBeneficiary(deps, merchantId, read.beneficiaryId);
  if (deps.controls.of(merchantId)?.approval === undefined) return undefined;
  return readBeneficiary(deps, merchantId, read.beneficiaryId).catch((error: unknown) => {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  });
}

/** The approval that the payout of a quote needs by its merchant's rules, as they are now. */
export function approvalFor(
  { controls }: ReadDeps,
  { executable, currency: source, now }: ReadQuote,
  judged: Pick<JudgedPayout, "beneficiaryCreatedAt" | "isOverWindow">,
): ApprovalNeed | undefined {
  const rules = controls.of(executable.merchantId)?.approval;
  const { sourceMinor } = executable;
  return rules && approvalNeed(rules, { source, sourceMinor, ...judged }, now);
}
