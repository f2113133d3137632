import { fromBinary } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage, Disposition, Subscription } from "@disburse/chassis/bus/bus.ts";
import { eventTypeOf } from "@disburse/chassis/bus/event-type.ts";
import { forRequest } from "@disburse/chassis/call-context.ts";
import type { Log } from "@disburse/chassis/log.ts";
import { wordOf } from "@disburse/chassis/rpc/enum-words.ts";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { Verdict } from "@disburse/contracts/disburse/compliance/v1/compliance_pb.ts";
import { idPrefixes } from "@disburse/kernel/id.ts";
import type { Clock } from "@disburse/kernel/time.ts";
import { type ScreeningResult, screeningResult } from "../records/rules/screening.ts";
import type { RecordStore } from "../records/store.ts";

type Records = Pick<RecordStore, "writeScreening" | "has">;

/** What the consumer of events works with. */
export type ConsumerDeps = {
  readonly beneficiaries: Records;
  readonly depositors: Records;
  readonly clock: Clock;
  readonly log: Log;
};

/** A screening result that compliance found by itself: a list or a decision changed. */
type Change = {
  readonly eventId: string;
  readonly merchantId: string;
  readonly recordId: string;
  readonly result: ScreeningResult;
};

/** A message is acknowledged when stored or older; one that cannot be read is dead-lettered. */
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
      deps.log.error(fields, "event not readable");
      return "dead";
    }
    await apply(deps, change);
    return "stored";
  });
}

/** An event without verdict, time or subject breaks the contract: it changes nothing. */
function readChange(body: Uint8Array): Change {
  const { eventId, subject, verdict, screeningId, screenedAt } = fromBinary(
    ScreeningChangedSchema,
    body,
  );
  const { merchantId = "", recordId = "" } = subject ?? {};
  const read = wordOf(Verdict, verdict);
  const names = { event_id: eventId, merchant_id: merchantId, record_id: recordId, screeningId };
  const missing = Object.entries(names).flatMap(([name, value]) => (value === "" ? [name] : []));
  if (read === undefined || screenedAt === undefined || missing.length > 0) {
    throw new Error(`a change of a screening is not whole: ${missing.join(", ")}`);
  }
  const result = screeningResult(read, screeningId, timestampDate(screenedAt));
  return { eventId, merchantId, recordId, result };
}

/** Stores a result where it is newer than the one there; a duplicate changes nothing. */
async function apply(deps: ConsumerDeps, change: Change): Promise<void> {
  const { clock, log } = deps;
  const { eventId, merchantId, recordId, result } = change;
  const fields = { event_id: eventId, record_id: recordId, status: result.status };
  const records = recordsOf(deps, recordId);
  const isStored = await records?.writeScreening(merchantId, recordId, result, clock.now());
  if (isStored) log.info(fields, "screening changed");
  else if (await records?.has(merchantId, recordId)) log.debug(fields, "screening known already");
  else log.warn(fields, "screening of an unknown record");
}

/** Compliance screens for other services too; the record's id says what it is of. */
function recordsOf({ beneficiaries, depositors }: ConsumerDeps, recordId: string) {
  if (recordId.startsWith(`${idPrefixes.beneficiary}_`)) return beneficiaries;
  return recordId.startsWith(`${idPrefixes.depositor}_`) ? depositors : undefined;
}
