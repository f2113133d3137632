/** One of a merchant's endpoints was paused: goes to all others, whatever they name. */
export const endpointPaused = "webhook_endpoint.paused";

/**
 * Events that a merchant chooses to get, by type, and the service that may publish each. Endpoints
 * get one by its name alone: `*` does not stand for it, so that an endpoint that took everything
 * before gets nothing new.
 */
const publishers: Readonly<Record<string, string>> = {
  "account.credited": "payout",
  "batch.approval_required": "payout",
  "batch.finished": "payout",
  "beneficiary.screening_changed": "beneficiary",
  "payout.approval_required": "payout",
  [endpointPaused]: "notifier",
};

/** The types of events that an endpoint gets only by their name. */
export const optInTypes: readonly string[] = Object.keys(publishers);

/** Whether endpoints get this type only by its name. */
export function isOptIn(transactionType: string): boolean {
  return Object.hasOwn(publishers, transactionType);
}

/** Whether a service may publish this type; within one process none is named. */
export function mayPublish(service: string | undefined, transactionType: string): boolean {
  return isOptIn(transactionType) && [undefined, publishers[transactionType]].includes(service);
}
