/** Why there was no answer. */
export type AttemptError =
  | "timeout"
  | "dns_failed"
  | "address_refused"
  | "connection_refused"
  | "connection_reset"
  | "connection_failed"
  | "tls_failed"
  | "invalid_answer";

/** How an attempt ended: with an answer of whatever status, or without one. */
export type Outcome =
  | { readonly kind: "answered"; readonly statusCode: number; readonly body: string }
  | { readonly kind: "failed"; readonly error: AttemptError };

/** HTTP 200 acknowledges and nothing else does (service interface, delivery rules). */
const acknowledgedStatus = 200;

/** Whether an outcome acknowledges the event. */
export function isAcknowledged(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.statusCode === acknowledgedStatus;
}
