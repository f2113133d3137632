/** Reasons for a missing response. */
export type AttemptError =
  | "timeout"
  | "dns_failed"
  | "address_refused"
  | "connection_refused"
  | "connection_reset"
  | "connection_failed"
  | "tls_failed"
  | "invalid_answer";

/** The end of an attempt, with a response of any status or without one. */
export type Outcome =
  | { readonly kind: "answered"; readonly statusCode: number; readonly body: string }
  | { readonly kind: "failed"; readonly error: AttemptError };

/** Only HTTP 200 acknowledges (service interface, delivery rules). */
const acknowledgedStatus = 200;

export function isAcknowledged(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.statusCode === acknowledgedStatus;
}
