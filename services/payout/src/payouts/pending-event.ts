import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import { Binary } from "mongodb";
import type { Payout } from "./rules/payout.ts";
import { type PayoutStatus, publicStatusOf } from "./rules/progress.ts";
import { payoutMessage } from "./wire.ts";

/** An event that is not published yet. */
export type PendingEvent = { id: string; key: string; at: Date; body: Binary };

/** What events do not have: it is the merchant's, may name persons, and may be large. */
const unpublished = { beneficiaryName: "", beneficiaryAccountNumberMasked: "", metadata: {} };

/** The event of a payout's present version, which a payout keeps. */
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

/** The status that an event of a payout announces; `undefined` where it announces none. */
export function announcedBy({ key }: PendingEvent): PayoutStatus | undefined {
  return statuses.find((status) => key === keyOf(status));
}
