import type { AnyBulkWriteOperation } from "mongodb";
import { heldUntil, type InLine } from "../domain/order.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { DeliveryDocument } from "./documents.ts";
import { type EventNumber, type EventStore, numberKey } from "./event-store.ts";

/** What the order of a line is decided from. */
type Member = Pick<
  DeliveryDocument,
  | "_id"
  | "merchant_id"
  | "transaction_type"
  | "transaction_id"
  | "sequence"
  | "line"
  | "state"
  | "held"
  | "attempts_count"
  | "due_at"
  | "created_at"
>;

const memberFields = {
  merchant_id: 1,
  transaction_type: 1,
  transaction_id: 1,
  sequence: 1,
  line: 1,
  state: 1,
  held: 1,
  attempts_count: 1,
  due_at: 1,
  created_at: 1,
} as const;

export type LineStore = ReturnType<typeof openLineStore>;

/**
 * Lets go what waits for nothing any more. Called after deliveries were inserted and after others
 * were settled: whichever of the two happens last sees the other's write. A call that a crash
 * swallows costs the wait of 30 s, which stands in the delivery itself.
 */
export function openLineStore(
  { collection: deliveries }: Pick<DeliveryStore, "collection">,
  events: Pick<EventStore, "arrived">,
) {
  return {
    /** Answers whether anything became due now. */
    release: async (lines: readonly string[], now: Date): Promise<boolean> => {
      if (lines.length === 0) return false;
      const held = await deliveries.distinct("line", { line: { $in: [...lines] }, held: true });
      if (held.length === 0) return false;
      const members = await deliveries
        .find<Member>({ line: { $in: held }, replay: 0 }, { projection: memberFields })
        .toArray();
      const waiting = members.filter((member) => member.held && member.state === "pending");
      const arrived = await events.arrived(waiting.map(numberBefore));
      const writes = waiting.flatMap((member) => {
        const line = members.filter((other) => other.line === member.line).map(inLine);
        const before = arrived.has(numberKey(numberBefore(member)));
        const until = heldUntil(inLine(member), line, member.transaction_type, before);
        return until?.getTime() === member.due_at?.getTime() ? [] : [moved(member, until, now)];
      });
      if (writes.length > 0) await deliveries.bulkWrite(writes, { ordered: false });
      return writes.length > 0;
    },
  };
}

function numberBefore(member: Member): EventNumber {
  return {
    merchantId: member.merchant_id,
    transactionType: member.transaction_type,
    transactionId: member.transaction_id,
    sequence: member.sequence - 1,
  };
}

function inLine(member: Member): InLine {
  return {
    id: member._id,
    sequence: member.sequence,
    state: member.state,
    attempts: member.attempts_count,
    createdAt: member.created_at,
  };
}

/** Due at another moment: now, and no longer held, when there is nothing to wait for. */
function moved(
  member: Member,
  until: Date | undefined,
  now: Date,
): AnyBulkWriteOperation<DeliveryDocument> {
  const due = until ?? now;
  return {
    updateOne: {
      filter: { _id: member._id, state: "pending", held: true },
      update: { $set: { held: until !== undefined, due_at: due, next_attempt_at: due } },
    },
  };
}
