import type { EventRecord } from "@disburse/contracts/disburse/notifier/v1/notifier_pb.ts";
import { type ExactJson, exactValue, parseExactJson } from "@disburse/kernel/exact-json.ts";
import { isRefused } from "@disburse/kernel/refusal.ts";
import type { Clients } from "../clients.ts";
import { readQuery } from "../domain/list-query.ts";
import { listEventsEndpoint, listEventsQuery } from "../reference/webhook-events.ts";
import type { Operation } from "./operation.ts";
import { present, wireNumber, wireTime } from "./wire.ts";

/** `data` of a webhook's body, each number with the digits that it has there. */
function bodyData(body: Uint8Array): unknown {
  const { data } = parseExactJson(new TextDecoder().decode(body)) as { data?: ExactJson };
  return exactValue(present(data));
}

function eventData(event: EventRecord) {
  return {
    id: event.eventId,
    transaction_type: event.transactionType,
    transaction_id: event.transactionId,
    status: event.status,
    sequence: wireNumber(event.sequence),
    data: bodyData(event.body),
    occurred_at: wireTime(event.occurredAt),
    received_at: wireTime(event.receivedAt),
  };
}

/** Everything that a merchant was or would have been told. */
export function webhookEventOperations({
  notifier,
}: Pick<Clients, "notifier">): readonly Operation[] {
  return [
    {
      ...listEventsEndpoint,
      answer: async ({ merchantId, query }) => {
        const asked = readQuery(query, listEventsQuery);
        if (isRefused(asked)) return asked;
        const reply = await notifier.listEvents({ merchantId, ...asked });
        return {
          events: reply.events.map(eventData),
          next_cursor: reply.nextCursor,
          has_more: reply.hasMore,
        };
      },
    },
  ];
}
