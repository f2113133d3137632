/** The reasons why an attempt got no response. */
export type AttemptError =
  | "timeout"
  | "dns_failed"
  | "address_refused"
  | "connection_refused"
  | "connection_reset"
  | "connection_failed"
  | "tls_failed"
  | "invalid_answer";

/** The outcome of an attempt: a response with any status, or an error if there was no response. */
export type Outcome =
  | { readonly kind: "answered"; readonly statusCode: number; readonly body: string }
  | { readonly kind: "failed"; readonly error: AttemptError };

/** Only this HTTP status acknowledges a delivery (service interface, delivery rules). */
const acknowledgedStatus = 200;

export function isAcknowledged(outcome: Outcome): boolean {
  return outcome.kind === "answered" && outcome.statusCode === acknowledgedStatus;
}
