import type { IdNoun } from "@disburse/kernel/id.ts";

/**
 * Reports a paused endpoint to its merchant. Goes to all other endpoints, regardless of their
 * subscriptions.
 */
export const endpointPaused = "webhook_endpoint.paused";

/** The service that publishes a type, and the kind of its subject record. */
type OptIn = { readonly publisher: string; readonly subject: IdNoun };

/**
 * Events that a merchant subscribes to by type. `*` doesn't match them, so that existing endpoints
 * get no new events.
 */
const optIns: Readonly<Record<string, OptIn>> = {
  "account.credited": { publisher: "payout", subject: "account" },
  "batch.approval_required": { publisher: "payout", subject: "batch" },
  "batch.finished": { publisher: "payout", subject: "batch" },
  "beneficiary.screening_changed": { publisher: "beneficiary", subject: "beneficiary" },
  "payout.approval_required": { publisher: "payout", subject: "payout" },
  "scheduled_payout.approval_required": { publisher: "payout", subject: "scheduledPayout" },
  [endpointPaused]: { publisher: "notifier", subject: "endpoint" },
};

export const optInTypes: readonly string[] = Object.keys(optIns);

/** Returns true if only a subscription to this exact type matches. */
export function isOptIn(transactionType: string): boolean {
  return Object.hasOwn(optIns, transactionType);
}

/** Returns the kind of record that events of an opt-in type are about. */
export function optInSubject(transactionType: string): IdNoun | undefined {
  return isOptIn(transactionType) ? optIns[transactionType]?.subject : undefined;
}

/** Returns true if the service may publish this type. `undefined` means the same process. */
export function mayPublish(service: string | undefined, transactionType: string): boolean {
  return (
    isOptIn(transactionType) && [undefined, optIns[transactionType]?.publisher].includes(service)
  );
}
