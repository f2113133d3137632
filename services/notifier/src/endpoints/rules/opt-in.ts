import type { IdNoun } from "@disburse/kernel/id.ts";

/**
 * The event that reports a paused endpoint to its merchant. It goes to all other endpoints of the
 * merchant, regardless of their subscriptions.
 */
export const endpointPaused = "webhook_endpoint.paused";

/**
 * The events that report a failing endpoint to its merchant, and its recovery. They go to the
 * merchant's other endpoints that subscribe to them.
 */
export const endpointFailing = "endpoint.failing";
export const endpointRecovered = "endpoint.recovered";

/** The service that publishes an event type, and the kind of record that the event is about. */
type OptIn = { readonly publisher: string; readonly subject: IdNoun };

/**
 * Event types that a merchant must subscribe to by name. `*` doesn't match them, so existing
 * endpoints don't get new kinds of events.
 */
const optIns: Readonly<Record<string, OptIn>> = {
  "account.balance_low": { publisher: "payout", subject: "account" },
  "account.credited": { publisher: "payout", subject: "account" },
  "batch.approval_required": { publisher: "payout", subject: "batch" },
  "batch.finished": { publisher: "payout", subject: "batch" },
  "beneficiary.screening_changed": { publisher: "beneficiary", subject: "beneficiary" },
  [endpointFailing]: { publisher: "notifier", subject: "endpoint" },
  [endpointRecovered]: { publisher: "notifier", subject: "endpoint" },
  "payout.approval_required": { publisher: "payout", subject: "payout" },
  "scheduled_payout.approval_required": { publisher: "payout", subject: "scheduledPayout" },
  [endpointPaused]: { publisher: "notifier", subject: "endpoint" },
};

export const optInTypes: readonly string[] = Object.keys(optIns);

/** Returns true for an opt-in type. Only a subscription to this exact type matches it. */
export function isOptIn(transactionType: string): boolean {
  return Object.hasOwn(optIns, transactionType);
}

/** Returns the kind of record that events of an opt-in type are about. */
export function optInSubject(transactionType: string): IdNoun | undefined {
  return isOptIn(transactionType) ? optIns[transactionType]?.subject : undefined;
}

/**
 * Returns true if the service may publish this type. `undefined` means that this process itself
 * publishes it.
 */
export function mayPublish(service: string | undefined, transactionType: string): boolean {
  return (
    isOptIn(transactionType) && [undefined, optIns[transactionType]?.publisher].includes(service)
  );
}
