import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import { MerchantEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";

export type EventName = { readonly run: string; readonly number: number };

/** Encodes a run, which has only letters and digits, and a number. */
export function refundIdOf({ run, number }: EventName): string {
  return `rf_${run}_${number}`;
}

/** Decodes an id from `refundIdOf`. Returns `undefined` for any other. */
export function readRefundId(id: string): EventName | undefined {
  const [, run, number] = /^rf_([a-z0-9]+)_(\d+)$/.exec(id) ?? [];
  return run === undefined ? undefined : { run, number: Number(number) };
}

export const eventType = "refund.succeeded";
const bodyBytes = 1_024;
/**
 * Size in bytes of `{"transaction_type":"refund","transaction_id":"…","data":…}` without its
 * values.
 */
const frameBytes = 57;

/** Each event is of a different refund, so that no event waits for another. */
export function refundMessage(name: EventName, merchantId: string): BusMessage {
  const [transactionType = "", status = ""] = eventType.split(".");
  const id = refundIdOf(name);
  const data = { id, merchant_id: merchantId, status, note: "" };
  const bytes = JSON.stringify(data).length + frameBytes + id.length;
  data.note = "x".repeat(Math.max(0, bodyBytes - bytes));
  const eventId = `evt_${name.run}_${name.number}`;
  const message = create(MerchantEventSchema, {
    eventId,
    merchantId,
    transactionType,
    transactionId: id,
    status,
    sequence: 1n,
    dataJson: JSON.stringify(data),
    occurredAt: timestampFromDate(new Date()),
  });
  return { id: eventId, key: "refund.updated", body: toBinary(MerchantEventSchema, message) };
}
