import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { enumName } from "@disburse/chassis/enum-names.ts";
import { readRefusal } from "@disburse/chassis/rpc/refusal.ts";
import {
  type BeneficiaryService,
  ScreeningStatus,
} from "@disburse/contracts/disburse/beneficiary/v1/beneficiary_pb.ts";
import type { QuoteService } from "@disburse/contracts/disburse/quote/v1/quote_pb.ts";
import type { ClockReading } from "../controls/duplicates.ts";
import { approvalNeed, type JudgedPayout } from "../controls/rules/approval.ts";
import type { PayoutControls } from "../controls/store.ts";
import type { ApprovalNeed } from "../payouts/rules/approval.ts";
import { readExecutable } from "./quote.ts";
import type { Payable } from "./rules/payable.ts";

export type ReadDeps = {
  readonly quote: Client<typeof QuoteService>;
  readonly beneficiary: Client<typeof BeneficiaryService>;
  readonly controls: Pick<PayoutControls, "of">;
};

export type ReadQuote = ReturnType<typeof readExecutable> & ClockReading;

export async function readQuote(
  deps: Pick<ReadDeps, "quote">,
  quoteId: string,
): Promise<ReadQuote | undefined> {
  const sentAt = performance.now();
  try {
    const read = readExecutable(await deps.quote.getClaimableQuote({ quoteId }));
    return { ...read, sentAt, receivedAt: performance.now() };
  } catch (error) {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  }
}

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
    screening: enumName(ScreeningStatus, screeningStatus),
    createdAt: createdAt && timestampDate(createdAt),
  };
}

/** Reads the beneficiary only if the next step or the merchant's rules require it. */
export async function beneficiaryFor(deps: ReadDeps, read: ReadQuote, next: Payable) {
  const { merchantId } = read.executable;
  if (next === "hold") return readBeneficiary(deps, merchantId, read.beneficiaryId);
  if (deps.controls.of(merchantId)?.approval === undefined) return undefined;
  return readBeneficiary(deps, merchantId, read.beneficiaryId).catch((error: unknown) => {
    if (readRefusal(error)?.code === "RECORD_NOT_FOUND") return undefined;
    throw error;
  });
}

/** Returns the approval that the merchant's current rules require. */
export function approvalFor(
  { controls }: ReadDeps,
  { executable, currency: source, now }: ReadQuote,
  judged: Pick<JudgedPayout, "beneficiaryCreatedAt" | "isOverWindow">,
): ApprovalNeed | undefined {
  const rules = controls.of(executable.merchantId)?.approval;
  const { sourceMinor } = executable;
  return rules && approvalNeed(rules, { source, sourceMinor, ...judged }, now);
}
