import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Outbox } from "@disburse/chassis/bus/outbox-relay.ts";
import { ScreeningChangedSchema } from "@disburse/contracts/disburse/compliance/v1/compliance_events_pb.ts";
import { derivedId } from "@disburse/kernel/id.ts";
import { Binary, type Collection } from "mongodb";
import { verdictCodes } from "../screening/request.ts";
import type { Screening } from "../screening/rules/screening.ts";
import type { OwedEvent, SubjectDocument } from "./document.ts";

const routingKey = "screening.changed";

/** Subjects that owe an event. */
export const owed = { "outbox.at": { $gt: new Date(0) } };

/** The event of a verdict that was found again; one screening has one. */
export function screeningChanged(screening: Screening): OwedEvent {
  const { id: screeningId, subject, verdict, createdAt } = screening;
  const id = derivedId("event", screeningId);
  const message = create(ScreeningChangedSchema, {
    eventId: id,
    occurredAt: timestampFromDate(createdAt),
    subject,
    verdict: verdictCodes[verdict],
    screeningId,
    screenedAt: timestampFromDate(createdAt),
  });
  const body = new Binary(toBinary(ScreeningChangedSchema, message));
  return { id, key: routingKey, at: createdAt, body };
}

/** The owed events of subjects; they leave their document when the bus has them. */
export function subjectOutbox(subjects: Collection<SubjectDocument>): Outbox {
  return {
    due: async (limit) => {
      const found = await subjects
        .find(owed, { projection: { outbox: 1 } })
        .sort({ "outbox.at": 1 })
        .limit(limit)
        .toArray();
      return found.flatMap(({ outbox = [] }) =>
        outbox.map(({ id, key, body }) => ({ id, key, body: body.value() })),
      );
    },
    published: async (messages) => {
      const ids = messages.map(({ id }) => id);
      await subjects.updateMany(
        { ...owed, "outbox.id": { $in: ids } },
        { $pull: { outbox: { id: { $in: ids } } } },
      );
    },
  };
}
