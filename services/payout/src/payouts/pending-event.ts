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

/** The event of a payout that awaits approval. Only endpoints that name its type receive it. */
export const approvalRequired = {
  type: "payout.approval_required",
  key: "opt_in.payout_approval",
} as const;

/** Returns the data of the event of a payout that awaits approval. */
export function approvalData(
  { id, quote, order, createdAt }: Payout,
  approval: Pick<Approval, "reasons" | "digest" | "expiresAt">,
) {
  const { source, destination } = quote;
  const amount = (minor: bigint, currency: string) => exactNumber(formatAmount(minor, currency));
  return {
    id,
    status: "awaiting_approval",
    merchant_id: quote.merchantId,
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
}

/** Creates the event of a new payout that awaits approval. */
export function approvalEvent(payout: Payout, approval: Approval) {
  const { id: payoutId, createdAt } = payout;
  const { type: transactionType, key } = approvalRequired;
  const id = `${derivedId("event", payoutId)}_approval`;
  const data = approvalData(payout, approval);
  const message = create(OptInEventSchema, {
    eventId: id,
    merchantId: payout.quote.merchantId,
    transactionType,
    transactionId: payoutId,
    status: data.status,
    sequence: 1n,
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(createdAt),
  });
  const body = new Binary(toBinary(OptInEventSchema, message));
  return { id, key, at: createdAt, body };
}
