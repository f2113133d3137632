import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { Binary } from "mongodb";
import type { Approval } from "./rules/approval.ts";
import type { Payout } from "./rules/payout.ts";

/** The event of a new payout that waits for approval, for endpoints that name its type. */
export function approvalEvent(
  { id: payoutId, quote, order, createdAt }: Payout,
  approval: Approval,
) {
  const { merchantId, source, destination } = quote;
  const status = "awaiting_approval";
  const amount = (minor: bigint, currency: string) => exactNumber(formatAmount(minor, currency));
  const data = {
    id: payoutId,
    status,
    merchant_id: merchantId,
    reference_id: order.details.referenceId,
    beneficiary_id: quote.beneficiary.id,
    reasons: approval.reasons,
    digest: approval.digest,
    source_currency_code: source,
    source_amount: amount(quote.sourceMinor, source),
    destination_currency_code: destination,
    receiving_amount: amount(quote.receivingMinor, destination),
    expires_at: isoTime(approval.expiresAt),
    created_at: isoTime(createdAt),
  };
  const id = `${derivedId("event", payoutId)}_approval`;
  const message = create(OptInEventSchema, {
    eventId: id,
    merchantId,
    transactionType: "payout.approval_required",
    transactionId: payoutId,
    status,
    sequence: 1n,
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(createdAt),
  });
  const body = new Binary(toBinary(OptInEventSchema, message));
  return { id, key: "opt_in.payout_approval", at: createdAt, body };
}
