import { fromBinary } from "@bufbuild/protobuf";
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import type { BusMessage, Disposition, Subscription } from "@disburse/chassis/bus/bus.ts";
import { eventTypeOf } from "@disburse/chassis/bus/event-type.ts";
import { forRequest } from "@disburse/chassis/call-context.ts";
import { enumName } from "@disburse/chassis/enum-names.ts";
import type { Log } from "@disburse/chassis/log.ts";
import type { Metrics } from "@disburse/chassis/metrics.ts";
import {
  type MerchantEvent,
  MerchantEventSchema,
  type OptInEvent,
  OptInEventSchema,
} from "@disburse/contracts/disburse/notifier/v1/notifier_events_pb.ts";
import {
  type PayoutStatusChanged,
  PayoutStatusChangedSchema,
} from "@disburse/contracts/disburse/payout/v1/payout_events_pb.ts";
import { PayoutStatus, PayoutSubStatus } from "@disburse/contracts/disburse/payout/v1/payout_pb.ts";
import { type Actor, Actor_Kind } from "@disburse/contracts/disburse/type/v1/mutation_pb.ts";
import { violationsMessage } from "@disburse/kernel/refusal.ts";
import { mayPublish, optInTypes } from "../endpoints/rules/opt-in.ts";
import type { FanOut } from "./fan-out.ts";
import {
  isEventId,
  type PublishedEvent,
  publishedEventViolations,
  transactionIdProblem,
  type WebhookEvent,
  webhookEventOf,
} from "./rules/event.ts";
import { payoutBody } from "./rules/webhook-body.ts";
import { conflictProblem, type TransactionTypes } from "./transaction-types.ts";

/** Thrown for a message that violates the contract of its event. */
class UnreadableEventError extends Error {
  override name = "UnreadableEventError";
}

function present<T>(value: T | undefined, field: string): T {
  if (value === undefined || value === "")
    throw new UnreadableEventError(`the event's ${field} is missing`);
  return value;
}

const presentDate = (time: Timestamp | undefined, field: string): Date =>
  timestampDate(present(time, field));

const creatorOf = ({ kind, id, name = "" }: Actor) => ({
  id,
  type: enumName(Actor_Kind, kind) ?? "",
  name,
});

/** Converts a payout event to its webhook event. Throws if the message violates the contract. */
function payoutEvent(message: PayoutStatusChanged): WebhookEvent {
  const payout = present(message.payout, "payout");
  const status = present(enumName(PayoutStatus, payout.status), "payout.status");
  const idProblem = transactionIdProblem(present(payout.id, "payout.id"), "payout_session");
  if (idProblem !== undefined) throw new UnreadableEventError(`payout.id ${idProblem}`);
  if (payout.version < 1) throw new UnreadableEventError("payout.version is missing");
  if (!isEventId(message.eventId)) throw new UnreadableEventError("event_id is malformed");
  const { createdBy: by, ...texts } = payout;
  const snapshot = {
    ...texts,
    ...(by && { createdBy: creatorOf(by) }),
    status,
    subStatus: enumName(PayoutSubStatus, payout.subStatus) ?? "",
    createdAt: presentDate(payout.createdAt, "payout.created_at"),
    updatedAt: presentDate(payout.updatedAt, "payout.updated_at"),
  };
  return {
    eventId: message.eventId,
    merchantId: present(payout.merchantId, "payout.merchant_id"),
    transactionType: "payout_session",
    transactionId: payout.id,
    status,
    subStatus: snapshot.subStatus,
    sequence: payout.version,
    body: payoutBody(snapshot),
    occurredAt: presentDate(message.occurredAt, "occurred_at"),
  };
}

/** Converts an event of another system. The event comes from the bus or from an RPC. */
export function publishedEvent(message: MerchantEvent | OptInEvent): PublishedEvent {
  const { occurredAt } = message;
  return {
    ...message,
    occurredAt: occurredAt === undefined ? undefined : timestampDate(occurredAt),
  };
}

function merchantEvent(
  message: MerchantEvent | OptInEvent,
  receivedAt: Date,
  types?: readonly string[],
): WebhookEvent {
  const event = publishedEvent(message);
  const violations = publishedEventViolations(event, types);
  if (violations.length > 0) throw new UnreadableEventError(violationsMessage(violations));
  return webhookEventOf(event, receivedAt);
}

/** Converts an opt-in event. Only one service may publish each type. */
function optInEvent({ body, publisher }: BusMessage, receivedAt: Date): WebhookEvent {
  const event = merchantEvent(fromBinary(OptInEventSchema, body), receivedAt, optInTypes);
  if (mayPublish(publisher, event.transactionType)) return event;
  throw new UnreadableEventError(`the service ${publisher} may not publish this transaction_type`);
}

/** Converts a message to a webhook event. Throws if the message violates its contract. */
export function readEvent(message: BusMessage, receivedAt: Date): WebhookEvent {
  return { ...readBody(message, receivedAt), origin: message.origin };
}

function readBody(message: BusMessage, receivedAt: Date): WebhookEvent {
  const { key, body } = message;
  if (key.startsWith("payout.")) return payoutEvent(fromBinary(PayoutStatusChangedSchema, body));
  if (key.startsWith("opt_in.")) return optInEvent(message, receivedAt);
  return merchantEvent(fromBinary(MerchantEventSchema, body), receivedAt);
}

/** Logs each stored event with the id of the request that caused it. */
function logStored(events: readonly WebhookEvent[], startedMs: number, log: Log): void {
  const duration_ms = Math.round(performance.now() - startedMs);
  for (const { eventId, transactionId, status, origin } of events) {
    const fields = { event_id: eventId, transaction_id: transactionId, status, duration_ms };
    forRequest(origin, () => log.debug(fields, "event stored"));
  }
}

type IntakeDeps = {
  readonly fanOut: Pick<FanOut, "publish">;
  readonly types: TransactionTypes;
  readonly countUnreadable: (routingKey: string) => void;
};

/**
 * Consumes events from the bus. Acknowledges a batch after it is stored. Sends unreadable events to
 * the dead-letter queue.
 */
export function subscription(
  { fanOut, types, countUnreadable }: IntakeDeps,
  now: () => Date,
  log: Log,
): Subscription {
  const reportUnreadable = (message: BusMessage, error: unknown): undefined => {
    countUnreadable(message.key);
    const fields = { err: error, event_id: message.id, key: message.key };
    forRequest(message.origin, () =>
      log.error(fields, "message sent to the dead-letter queue: it could not be read"),
    );
  };
  const read = (message: BusMessage): WebhookEvent | undefined => {
    try {
      return readEvent(message, now());
    } catch (error) {
      return reportUnreadable(message, error);
    }
  };
  return {
    queue: "notifier",
    events: [PayoutStatusChangedSchema, MerchantEventSchema, OptInEventSchema].map(eventTypeOf),
    handle: async (batch) => {
      const startedMs = performance.now();
      const readable = batch.map(read);
      const conflicts = await types.conflicts(readable.filter((each) => each !== undefined));
      const accepted = readable.map((event, at) => {
        const message = batch[at];
        if (event === undefined || message === undefined || !conflicts.has(event)) return event;
        return reportUnreadable(message, new UnreadableEventError(conflictProblem));
      });
      const events = accepted.filter((each) => each !== undefined);
      if (events.length > 0) await fanOut.publish(events);
      logStored(events, startedMs, log);
      return accepted.map((event): Disposition => (event === undefined ? "dead" : "stored"));
    },
  };
}

const families: readonly string[] = ["payout", "payment_session", "refund", "opt_in"];

/** Counts unreadable messages, which go to the dead-letter queue. */
export function createUnreadableCount(metrics: Metrics) {
  const unreadable = metrics.counter(
    "disburse_webhook_events_unreadable_total",
    "Unreadable messages sent to the dead-letter queue, by their claimed type.",
    ["key"],
  );
  // Starts each counter at 0. Otherwise Prometheus would not see the increase by the first message.
  for (const key of [...families, "other"]) unreadable.inc({ key }, 0);
  return (routingKey: string): void => {
    const [family = ""] = routingKey.split(".");
    unreadable.inc({ key: families.includes(family) ? family : "other" });
  };
}
