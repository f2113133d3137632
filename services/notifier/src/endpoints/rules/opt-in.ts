import type { IdNoun } from "@disburse/kernel/id.ts";

/** One of a merchant's endpoints was paused: goes to all others, whatever they name. */
export const endpointPaused = "webhook_endpoint.paused";

/** Who may publish a type of event, and the kind of record that it is about. */
type OptIn = { readonly publisher: string; readonly subject: IdNoun };

/**
 * Events that a merchant chooses to get, by type. Endpoints get one by its name alone: `*` does not
 * stand for it, so that an endpoint that took everything before gets nothing new.
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

/** The types of events that an endpoint gets only by their name. */
export const optInTypes: readonly string[] = Object.keys(optIns);

/** Whether endpoints get this type only by its name. */
export function isOptIn(transactionType: string): boolean {
  return Object.hasOwn(optIns, transactionType);
}

/** The kind of record that events of an opt-in type are about. */
export function optInSubject(transactionType: string): IdNoun | undefined {
  return isOptIn(transactionType) ? optIns[transactionType]?.subject : undefined;
}

/** Whether a service may publish this type; within one process none is named. */
export function mayPublish(service: string | undefined, transactionType: string): boolean {
  return (
    isOptIn(transactionType) && [undefined, optIns[transactionType]?.publisher].includes(service)
  );
}
