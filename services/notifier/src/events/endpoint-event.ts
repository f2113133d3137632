import { eventId } from "@disburse/kernel/id.ts";
import { type WebhookEvent, webhookEventOf } from "./rules/event.ts";

type EndpointData = {
  readonly id: string;
  readonly status: string;
  readonly merchant_id: string;
};

/**
 * Builds an event about an endpoint. Its time is its sequence number, because each event of an
 * endpoint is later than the previous one.
 *
 * @param subject identifies the events of which no two have the same time.
 */
export function endpointEvent(
  transactionType: string,
  data: EndpointData,
  at: Date,
  subject: string,
): WebhookEvent {
  const sequence = at.getTime();
  const published = {
    eventId: eventId(subject, sequence),
    merchantId: data.merchant_id,
    transactionType,
    transactionId: data.id,
    status: data.status,
    sequence: BigInt(sequence),
    dataJson: JSON.stringify(data),
    occurredAt: at,
  };
  return webhookEventOf(published, at);
}
