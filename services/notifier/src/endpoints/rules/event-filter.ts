import type { Endpoint } from "./endpoint.ts";
import { isOptIn } from "./opt-in.ts";

/** Stands for every event that is not opt-in. */
export const everyEvent = "*";

/** What filters select events by. */
type Filtered = { readonly transactionType: string; readonly status: string };

/** The event types that each select an event. */
export function subscriptionTypes({ transactionType, status }: Filtered): readonly string[] {
  if (isOptIn(transactionType)) return [transactionType];
  return [everyEvent, transactionType, `${transactionType}.${status}`];
}

/** Whether an endpoint subscribes to an event; decided once, at fan-out. */
export function isSubscribed(
  { eventTypes }: Pick<Endpoint, "eventTypes">,
  event: Filtered,
): boolean {
  return subscriptionTypes(event).some((type) => eventTypes.includes(type));
}
