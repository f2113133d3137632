import type { Endpoint } from "./endpoint.ts";
import type { WebhookEvent } from "./event.ts";

/** Stands for every event. */
export const everyEvent = "*";

/** Whether an endpoint wants an event; asked once, when the event is fanned out. */
export function isTold(
  { eventTypes }: Pick<Endpoint, "eventTypes">,
  { transactionType, status }: Pick<WebhookEvent, "transactionType" | "status">,
): boolean {
  return [everyEvent, transactionType, `${transactionType}.${status}`].some((type) =>
    eventTypes.includes(type),
  );
}
