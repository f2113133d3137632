/** Who made a request: a program with an API key, or a member in the console. */
export type RequestCaller = "api_key" | "member";

/** A request that a merchant made, as the log keeps it: nothing of its query, body or headers. */
export type RequestEntry = {
  /** When its answer ended. */
  readonly at: Date;
  readonly request_id: string;
  /** Method and path template: `GET /api/v1/transfer/payouts/:payoutId`. */
  readonly route: string;
  /** Of HTTP; 0 where the caller disconnected before the answer began. */
  readonly status: number;
  readonly duration_ms: number;
  /** Of the API key or the member. */
  readonly caller_id: string;
  /** Of an error. */
  readonly code?: string;
  /** Of the record that it was about, where there is one. */
  readonly record_id?: string;
};

/** Whether a status is no success. */
export function hasFailed({ status }: Pick<RequestEntry, "status">): boolean {
  return status === 0 || status >= 400;
}

/** No document of the log has requests that ended further apart. */
export const spanMaxMs = 10_000;

/** Requests in the order of time, cut into spans of at most `spanMaxMs`. */
export function spansOf(entries: readonly RequestEntry[]): RequestEntry[][] {
  const spans: RequestEntry[][] = [];
  for (const entry of entries.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const span = spans.at(-1);
    const first = span?.[0]?.at.getTime() ?? Number.NEGATIVE_INFINITY;
    if (span !== undefined && entry.at.getTime() - first <= spanMaxMs) span.push(entry);
    else spans.push([entry]);
  }
  return spans;
}

/** `GET /api/v1/…/:payoutId` → the method, and the path as the OpenAPI document writes it. */
export function routeParts(route: string): { readonly method: string; readonly route: string } {
  const [method = "", template = ""] = route.split(" ");
  return { method, route: template.replaceAll(/:(\w+)/g, "{$1}") };
}
