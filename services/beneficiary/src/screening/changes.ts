import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage } from "@disburse/chassis/bus/bus.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { originOf } from "@disburse/chassis/call-context.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { isoTime } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import type { PendingChange, RecordDocument } from "../records/document.ts";

type Changed = Pick<
  RecordDocument,
  "_id" | "merchant_id" | "outbox" | "request_id" | "traceparent"
>;

/** Changes of beneficiaries' screenings, until the bus has confirmed them. */
export function screeningOutbox(db: Db): Outbox {
  const beneficiaries = db.collection<RecordDocument>("beneficiaries");
  return {
    due: async (limit) => {
      const found = await beneficiaries
        .find({ "outbox.at": { $gt: new Date(0) } }, { hint: "outbox" })
        .project<Changed>({ merchant_id: 1, outbox: 1, request_id: 1, traceparent: 1 })
        .limit(limit)
        .toArray();
      return found.flatMap((each) => (each.outbox ?? []).map((of) => changeMessage(each, of)));
    },
    published: async (messages) => {
      const ids = messages.map(({ id }) => id);
      await beneficiaries.updateMany(
        { "outbox.at": { $gt: new Date(0) }, "outbox.id": { $in: ids } },
        { $pull: { outbox: { id: { $in: ids } } } },
        { hint: "outbox" },
      );
    },
  };
}

/** The event of a change, as its merchant's endpoints get it: without name and account. */
function changeMessage(of: Changed, { id, number, at, ...change }: PendingChange): BusMessage {
  const { _id: beneficiaryId, merchant_id: merchantId } = of;
  const { status, previous_status } = change;
  const data = { id: beneficiaryId, status, previous_status, merchant_id: merchantId };
  const event = create(OptInEventSchema, {
    eventId: id,
    merchantId,
    transactionType: "beneficiary.screening_changed",
    transactionId: beneficiaryId,
    status,
    sequence: BigInt(number),
    dataJson: JSON.stringify({ ...data, changed_at: isoTime(at) }),
    occurredAt: timestampFromDate(at),
  });
  const body = toBinary(OptInEventSchema, event);
  return { id, key: "opt_in.screening_changed", body, origin: originOf(of) };
}
