import { create, toBinary } from "@bufbuild/protobuf";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import { PayoutStatusChangedSchema } from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { eventId } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { approvalDigest, type OrderDocument, type Orders } from "../orders/document.ts";
import type { HeldEvent } from "../orders/events.ts";
import { endVersion } from "../orders/store.ts";
import { approvalData, approvalRequired, unpublished } from "../payouts/pending-event.ts";
import { type PublishedEvents, publishedIn } from "../payouts/published.ts";
import { asWaiting, payoutOfWait, type WaitingDocument } from "./document.ts";
import { firstMessage, waitingMessage } from "./wire.ts";

const hint = { hint: "pending_versions" };

/**
 * Publishes the events of waiting payouts. Their ids and sequence continue in those of the payout:
 * version 1 announces the wait, and version 2 its end or the paid payout.
 */
export function waitingOutbox(waiting: Orders, clock: Clock): Outbox {
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
          return waiting.updateOne(
            { _id: payoutId },
            {
              $pull: { "balance.pending_versions": version },
              $max: { published_at: clock.now() },
            },
          );
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

/** The published events of waiting payouts. A message is built again from its record. */
export function publishedWaits(waiting: Orders): PublishedEvents {
  return {
    list: async (span, { after, limit }) => {
      const found = await waiting
        .find(publishedIn(span, after), { hint: "published" })
        .sort({ published_at: 1, _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(asWaiting).map((document) => ({
        id: document._id,
        merchantId: document.merchant_id,
        createdAt: document.created_at,
        publishedAt: document.published_at ?? document.created_at,
        versions: publishedVersions(document),
      }));
    },
    again: async (eventIds) => {
      const ids = [...new Set(eventIds.map((id) => readEventId(id).payoutId))];
      const found = await waiting.find({ _id: { $in: ids } }).toArray();
      return found.map(asWaiting).flatMap((document) =>
        publishedVersions(document)
          .filter((version) => eventIds.includes(eventId(document._id, version)))
          .map((version) => messageOf(document, version)),
      );
    },
  };
}

/** Returns the versions of a wait whose events are published: its beginning and its end. */
function publishedVersions({ state, balance }: WaitingDocument): number[] {
  if (balance.preparing === true) return [];
  const hasEnded = state === "failed" || state === "cancelled";
  const versions = hasEnded ? [1, endVersion] : [1];
  return versions.filter((version) => !balance.pending_versions.includes(version));
}

/** Reads the id that `eventId` built of a payout. */
function readEventId(id: string) {
  const [, name = "", version = ""] = id.split("_");
  return { payoutId: `po_${name}`, version: Number(version) };
}

/** Reads the event of a waiting payout that is held. No approval rule holds it: it has no reasons. */
export function heldWait(document: OrderDocument, held: { expires_at: Date }): HeldEvent {
  const approval = { reasons: [], digest: approvalDigest(document), expiresAt: held.expires_at };
  const data = approvalData(payoutOfWait(asWaiting(document)), approval);
  return { ...approvalRequired, data };
}
