import type { Endpoint } from "./endpoint.ts";
import { isOptIn } from "./opt-in.ts";

/** This entry matches all events except opt-in events. */
export const everyEvent = "*";

type Filtered = { readonly transactionType: string; readonly status: string };

/** Returns the subscription entries that match an event. */
export function subscriptionTypes({ transactionType, status }: Filtered): readonly string[] {
  if (isOptIn(transactionType)) return [transactionType];
  return [everyEvent, transactionType, `${transactionType}.${status}`];
}

/**
 * Returns true if an endpoint subscribes to an event. Called once per event, when its deliveries
 * are created.
 */
export function isSubscribed(
  { eventTypes }: Pick<Endpoint, "eventTypes">,
  event: Filtered,
): boolean {
  return subscriptionTypes(event).some((type) => eventTypes.includes(type));
}
