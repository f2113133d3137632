import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import { fromDecimal128 } from "@disburse/chassis/mongo/database.ts";
import { creatorData } from "@disburse/chassis/rpc/creator.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { exactNumber } from "@disburse/kernel/exact-json.ts";
import { derivedId, eventId } from "@disburse/kernel/id.ts";
import { formatAmount } from "@disburse/kernel/money.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import type { BatchDocument, BatchEvent, Batches } from "./document.ts";

export function batchOutbox(batches: Batches): Outbox {
  return {
    due: async (limit) => {
      const pending = { "pending_events.id": { $gt: "" } };
      const found = await batches.find(pending, { hint: "pending_events" }).limit(limit).toArray();
      return found.flatMap((batch) => batch.pending_events.map((event) => messageOf(batch, event)));
    },
    published: async (messages) => {
      const ids = { $in: messages.map(({ id }) => id) };
      await batches.updateMany(
        { "pending_events.id": ids },
        { $pull: { pending_events: { id: ids } } },
        { hint: "pending_events" },
      );
    },
  };
}

/**
 * Creates an event of a batch. `holds` is the number of holds so far, which makes the id of each
 * hold's event unique.
 */
export function batchEvent(batchId: string, kind: BatchEvent["kind"], holds = 0): BatchEvent {
  if (kind === "finished") return { id: eventId(batchId, 1), kind };
  const which = holds === 0 ? "approval" : `held${holds}`;
  return { id: `${derivedId("event", batchId)}_${which}`, kind };
}

function messageOf(batch: BatchDocument, { id, kind }: BatchEvent): BusMessage {
  const { at, status, type, data } = kind === "finished" ? finished(batch) : required(batch);
  const { _id, merchant_id, reference_id } = batch;
  const { file_name = "", corrects: corrects_batch_id = "", line_count } = batch;
  const named = { reference_id, file_name, corrects_batch_id };
  const common = { id: _id, status, merchant_id, ...named, line_count };
  const event = create(OptInEventSchema, {
    eventId: id,
    merchantId: merchant_id,
    transactionType: type,
    transactionId: _id,
    status,
    sequence: 1n,
    dataJson: JSON.stringify({ ...common, ...data, created_by: creatorData(batch.actor) }),
    occurredAt: timestampFromDate(at),
  });
  const key = `opt_in.batch_${kind}`;
  return { id, key, body: toBinary(OptInEventSchema, event), origin: originOf(batch) };
}

function finished({ currency, result, finished_at: at }: BatchDocument) {
  if (result === undefined || at === undefined) throw new Error("a finished batch has no result");
  const { executed, failed, cancelled } = result.counts;
  const data = {
    executed_count: executed,
    failed_count: failed,
    cancelled_count: cancelled,
    source_currency_code: currency,
    total_amount: exactNumber(formatAmount(fromDecimal128(result.total_minor), currency)),
    finished_at: isoTime(at),
  };
  return { at, status: "finished", type: "batch.finished", data };
}

/** Builds the event that asks another actor for a decision on the batch. */
function required(batch: BatchDocument) {
  const { account_id, currency, digest, source_total: total, created_at: at } = batch;
  const fixed = total === undefined ? 0n : fromDecimal128(total.amount_minor);
  const data = {
    account_id,
    source_currency_code: currency,
    source_total: exactNumber(formatAmount(fixed, currency)),
    digest,
    created_at: isoTime(at),
  };
  return { at, status: "awaiting_approval", type: "batch.approval_required", data };
}
