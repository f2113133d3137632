import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import { creatorData } from "@disburse/chassis/rpc/creator.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { type OrderDocument, type Orders, toOrder } from "./document.ts";
import { knownAmounts } from "./rules/order.ts";

/** Publishes the events of held orders. */
export function heldOutbox(orders: Orders): Outbox {
  return {
    due: async (limit) => {
      const pending = { pending_event: { $gt: "" } };
      const found = orders.find(pending, { hint: "pending_event" }).limit(limit);
      return (await found.toArray()).map(messageOf);
    },
    published: async (messages) => {
      const ids = { $in: messages.map(({ id }) => id) };
      const hint = { hint: "pending_event" };
      await orders.updateMany({ pending_event: ids }, { $unset: { pending_event: "" } }, hint);
    },
  };
}

function messageOf(document: OrderDocument): BusMessage {
  const { _id, merchant_id, pending_event: id, held, scheduled_at } = document;
  if (id === undefined || held === undefined || scheduled_at === undefined) {
    throw new Error(
      "an order with a pending event was never held for approval or has no scheduled time",
    );
  }
  const { sourceAmount, receivingAmount } = knownAmounts(toOrder(document));
  const status = "awaiting_approval";
  const data = {
    id: _id,
    status,
    merchant_id,
    reference_id: document.details.reference_id,
    account_id: document.account_id,
    beneficiary_id: document.beneficiary_id,
    source_currency_code: document.source,
    destination_currency_code: document.destination,
    ...(sourceAmount !== "" && { source_amount: exactNumber(sourceAmount) }),
    ...(receivingAmount !== "" && { receiving_amount: exactNumber(receivingAmount) }),
    scheduled_at: isoTime(scheduled_at),
    expires_at: isoTime(held.expires_at),
    created_by: creatorData(document.actor),
  };
  const event = create(OptInEventSchema, {
    eventId: id,
    merchantId: merchant_id,
    transactionId: _id,
    status,
    sequence: 1n,
    transactionType: "scheduled_payout.approval_required",
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(held.at),
  });
  const body = toBinary(OptInEventSchema, event);
  return { id, key: "opt_in.scheduled_payout_held", body, origin: originOf(document) };
}
