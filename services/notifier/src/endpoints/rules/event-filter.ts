import type { Endpoint } from "./endpoint.ts";
import { isOptIn } from "./opt-in.ts";

/** Matches every event that is not opt-in. */
export const everyEvent = "*";

type Filtered = { readonly transactionType: string; readonly status: string };

/** Returns the subscription entries that match an event. */
export function subscriptionTypes({ transactionType, status }: Filtered): readonly string[] {
  if (isOptIn(transactionType)) return [transactionType];
  return [everyEvent, transactionType, `${transactionType}.${status}`];
}

/** Evaluated once per event, at fan-out. */
export function isSubscribed(
  { eventTypes }: Pick<Endpoint, "eventTypes">,
  event: Filtered,
): boolean {
  return subscriptionTypes(event).some((type) => eventTypes.includes(type));
}
