import { create, toBinary } from "@bufbuild/protobuf";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Orders } from "../orders/document.ts";
import { unpublished } from "../payouts/pending-event.ts";
import { asWaiting, type WaitingDocument } from "./document.ts";
import { firstMessage, waitingMessage } from "./wire.ts";

const hint = { hint: "pending_versions" };

/**
 * Publishes the events of waiting payouts. Their ids and sequence continue in those of the payout:
 * version 1 announces the wait, and version 2 its end or the paid payout.
 */
export function waitingOutbox(waiting: Orders): Outbox {
  return {
    due: async (limit) => {
      const pending = { "balance.pending_versions": { $gt: 0 } };
      const found = await waiting.find(pending, hint).limit(limit).toArray();
      return found
        .map(asWaiting)
        .flatMap((each) =>
          each.balance.pending_versions.map((version) => messageOf(each, version)),
        );
    },
    published: async (messages) => {
      await Promise.all(
        messages.map(({ id }) => {
          const { payoutId, version } = readEventId(id);
          const pull = { $pull: { "balance.pending_versions": version } };
          return waiting.updateOne({ _id: payoutId }, pull);
        }),
      );
    },
  };
}

function messageOf(document: WaitingDocument, version: number): BusMessage {
  const payout = version === 1 ? firstMessage(document) : waitingMessage(document);
  const id = eventId(document._id, version);
  const status = payout.status === PayoutStatus.FAILED ? "failed" : "initiated";
  const event = create(PayoutStatusChangedSchema, {
    eventId: id,
    ...(payout.updatedAt && { occurredAt: payout.updatedAt }),
    payout: { ...payout, ...unpublished, approval: undefined },
  });
  const body = toBinary(PayoutStatusChangedSchema, event);
  return { id, key: `payout.${status}`, body, origin: originOf(document) };
}

/** Reads the id that `eventId` built of a payout. */
function readEventId(id: string) {
  const [, name = "", version = ""] = id.split("_");
  return { payoutId: `po_${name}`, version: Number(version) };
}
