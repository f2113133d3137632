import type { Endpoint } from "./endpoint.ts";

/** Stands for every event. */
export const everyEvent = "*";

/** What an endpoint chooses its events by. */
type Told = { readonly transactionType: string; readonly status: string };

/** The event types of which each is enough to be told of an event. */
export function subscriptionTypes({ transactionType, status }: Told): readonly string[] {
  return [everyEvent, transactionType, `${transactionType}.${status}`];
}

/** Whether an endpoint wants an event; asked once, when the event is fanned out. */
export function isSubscribed({ eventTypes }: Pick<Endpoint, "eventTypes">, event: Told): boolean {
  return subscriptionTypes(event).some((type) => eventTypes.includes(type));
}
