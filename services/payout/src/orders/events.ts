import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import { creatorData } from "@disburse/chassis/rpc/creator.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import { approvalDigest, type OrderDocument, type Orders, toOrder } from "./document.ts";
import { knownAmounts } from "./rules/order.ts";

type Held = NonNullable<OrderDocument["held"]>;

/** The parts of a held order's event that depend on the kind of the order. */
export type HeldEvent = { readonly type: string; readonly key: string; readonly data: object };

type ReadHeld = (document: OrderDocument, held: Held) => HeldEvent;

/** Publishes the events of held orders. */
export function heldOutbox(orders: Orders, read: ReadHeld): Outbox {
  return {
    due: async (limit) => {
      const pending = { pending_event: { $gt: "" } };
      const found = orders.find(pending, { hint: "pending_event" }).limit(limit);
      return (await found.toArray()).map((document) => messageOf(document, read));
    },
    published: async (messages) => {
      const ids = { $in: messages.map(({ id }) => id) };
      const hint = { hint: "pending_event" };
      await orders.updateMany({ pending_event: ids }, { $unset: { pending_event: "" } }, hint);
    },
  };
}

function messageOf(document: OrderDocument, read: ReadHeld): BusMessage {
  const { _id, merchant_id: merchantId, pending_event: id, held } = document;
  if (id === undefined || held === undefined) {
    throw new Error("an order with a pending event was never held for approval");
  }
  const { type, key, data } = read(document, held);
  const event = create(OptInEventSchema, {
    eventId: id,
    merchantId,
    transactionId: _id,
    status: awaitingApproval,
    sequence: 1n,
    transactionType: type,
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(held.at),
  });
  const body = toBinary(OptInEventSchema, event);
  return { id, key, body, origin: originOf(document) };
}

const awaitingApproval = "awaiting_approval";

/** Reads the event of a held scheduled payout. */
export function heldSchedule(document: OrderDocument, held: Held): HeldEvent {
  const { _id, merchant_id, scheduled_at } = document;
  if (scheduled_at === undefined) throw new Error("a scheduled payout has no scheduled time");
  const { sourceAmount, receivingAmount } = knownAmounts(toOrder(document));
  const data = {
    id: _id,
    status: awaitingApproval,
    merchant_id,
    reference_id: document.details.reference_id,
    account_id: document.account_id,
    beneficiary_id: document.beneficiary_id,
    source_currency_code: document.source,
    destination_currency_code: document.destination,
    ...(sourceAmount !== "" && { source_amount: exactNumber(sourceAmount) }),
    ...(receivingAmount !== "" && { receiving_amount: exactNumber(receivingAmount) }),
    digest: approvalDigest(document),
    scheduled_at: isoTime(scheduled_at),
    expires_at: isoTime(held.expires_at),
    created_by: creatorData(document.actor),
  };
  const type = "scheduled_payout.approval_required";
  return { type, key: "opt_in.scheduled_payout_held", data };
}
