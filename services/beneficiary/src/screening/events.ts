import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage, Disposition, Subscription } from "@disburse/chassis/bus/bus.ts";
import { eventTypeOf } from "@disburse/chassis/bus/event-type.ts";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { forRequest, originOf } from "@disburse/chassis/call-context.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { creatorData } from "@disburse/chassis/rpc/creator.ts";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { OptInEventSchema } from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import { type Clock, isoTime } from "@disburse/kernel/time.ts";
import type { Db } from "mongodb";
import { creatorOf, type PendingChange, type RecordDocument } from "../records/document.ts";
import { type ScreeningResult, screeningResult } from "../records/rules/screening.ts";
import type { RecordStore } from "../records/store.ts";

type Changed = Pick<RecordDocument, "_id" | keyof typeof changedFields>;

const changedFields = {
  merchant_id: 1,
  actor: 1,
  operation_id: 1,
  outbox: 1,
  request_id: 1,
  traceparent: 1,
} as const;

type Records = Pick<RecordStore, "writeScreening" | "has">;

export type ConsumerDeps = {
  readonly beneficiaries: Records;
  readonly depositors: Records;
  readonly clock: Clock;
  readonly log: Log;
};

/** A result that compliance publishes on its own, after a list or a decision changed. */
type Change = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly recordId: string;
  readonly result: ScreeningResult;
};

/**
 * Subscribes to screening results. A message is acknowledged after its result is stored or found
 * outdated. An unreadable message goes to the dead-letter queue.
 */
export function subscription(deps: ConsumerDeps): Subscription {
  return {
    queue: "beneficiary",
    events: [eventTypeOf(ScreeningChangedSchema)],
    handle: (batch) => Promise.all(batch.map((message) => consume(deps, message))),
  };
}

function consume(deps: ConsumerDeps, message: BusMessage): Promise<Disposition> {
  return forRequest(message.origin, async () => {
    let change: Change;
    try {
      change = readChange(message.body);
    } catch (error) {
      const fields = { err: error, event_id: message.id, key: message.key };
      deps.log.error(fields, "message sent to the dead-letter queue: it could not be read");
      return "dead";
    }
    await apply(deps, change);
    return "stored";
  });
}

/** Throws if verdict, time or subject is missing, so that a malformed event changes nothing. */
function readChange(body: Uint8Array): Change {
  const { eventId, subject, verdict, screeningId, screenedAt } = fromBinary(
    ScreeningChangedSchema,
    body,
  );
  const { merchantId = "", recordId = "" } = subject ?? {};
  const read = enumName(Verdict, verdict);
  const names = { event_id: eventId, merchant_id: merchantId, record_id: recordId, screeningId };
  const missing = Object.entries(names).flatMap(([name, value]) => (value === "" ? [name] : []));
  if (read === undefined || screenedAt === undefined || missing.length > 0) {
    throw new Error(`the ScreeningChanged event lacks ${missing.join(", ")}`);
  }
  const result = screeningResult(read, screeningId, timestampDate(screenedAt));
  return { eventId, merchantId, recordId, result };
}

/** Stores a result only if it is newer than the stored one. A duplicate changes nothing. */
async function apply(deps: ConsumerDeps, change: Change): Promise<void> {
  const { clock, log } = deps;
  const { eventId, merchantId, recordId, result } = change;
  const fields = { event_id: eventId, record_id: recordId, status: result.status };
  const records = recordsOf(deps, recordId);
  const isStored = await records?.writeScreening(merchantId, recordId, result, clock.now());
  if (isStored) log.info(fields, "screening status of a record changed");
  else if (await records?.has(merchantId, recordId))
    log.debug(fields, "screening event ignored: a result at least as new is stored");
  else log.warn(fields, "screening event ignored: its record does not exist");
}

/** The id's prefix identifies the kind of record. Compliance also screens for other services. */
function recordsOf({ beneficiaries, depositors }: ConsumerDeps, recordId: string) {
  if (recordId.startsWith(`${idPrefixes.beneficiary}_`)) return beneficiaries;
  return recordId.startsWith(`${idPrefixes.depositor}_`) ? depositors : undefined;
}

/** Screening changes of beneficiaries that the bus has not confirmed yet. */
export function screeningOutbox(db: Db): Outbox {
  const beneficiaries = db.collection<RecordDocument>("beneficiaries");
  return {
    due: async (limit) => {
      const found = await beneficiaries
        .find({ "outbox.at": { $gt: new Date(0) } }, { hint: "outbox" })
        .project<Changed>(changedFields)
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

/** Builds the event for the merchant's endpoints, without name and account. */
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
    dataJson: JSON.stringify({
      ...data,
      changed_at: isoTime(at),
      created_by: creatorData(creatorOf(of)),
    }),
    occurredAt: timestampFromDate(at),
  });
  const body = toBinary(OptInEventSchema, event);
  return { id, key: "opt_in.screening_changed", body, origin: originOf(of) };
}
