import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { creatorData } from "@disburse/chassis/rpc/creator.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { derivedId, eventId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { Binary } from "mongodb";
import type { Approval } from "./rules/approval.ts";
import type { Payout } from "./rules/payout.ts";
import { type PayoutStatus, publicStatusOf } from "./rules/progress.ts";
import { payoutMessage } from "./wire.ts";

export type PendingEvent = { id: string; key: string; at: Date; body: Binary };

/** Events omit these fields, because they may name persons or be large. */
export const unpublished = {
  beneficiaryName: "",
  beneficiaryAccountNumberMasked: "",
  metadata: {},
};

/** Creates the event of a payout's current version. */
export function pendingEvent(payout: Payout): PendingEvent {
  const { status } = publicStatusOf(payout.progress);
  const id = eventId(payout.id, payout.version);
  const message = create(PayoutStatusChangedSchema, {
    eventId: id,
    occurredAt: timestampFromDate(payout.updatedAt),
    payout: { ...payoutMessage(payout), ...unpublished, approval: undefined },
  });
  const body = new Binary(toBinary(PayoutStatusChangedSchema, message));
  return { id, key: keyOf(status), at: payout.updatedAt, body };
}

const keyOf = (status: PayoutStatus): string => `payout.${status}`;

const statuses: readonly PayoutStatus[] = ["initiated", "succeeded", "failed"];

/** Returns the status that an event announces, or `undefined` if it announces none. */
export function announcedBy({ key }: PendingEvent): PayoutStatus | undefined {
  return statuses.find((status) => key === keyOf(status));
}

/**
 * Creates the event of a new payout that awaits approval. Only webhook endpoints that subscribe to
 * its type by name receive it.
 */
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
    created_by: creatorData(order.actor),
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
