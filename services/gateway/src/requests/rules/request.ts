/** `api_key`: a program's API key. `member`: a person in the console. */
export type RequestCaller = "api_key" | "member";

/** A logged request. Contains no query, body or headers. */
export type RequestEntry = {
  /** Time at which the response ended. */
  readonly at: Date;
  readonly request_id: string;
  /** Method and path template, for example `GET /api/v1/transfer/payouts/:payoutId`. */
  readonly route: string;
  /** HTTP status. The value is 0 if the caller disconnected before the response began. */
  readonly status: number;
  readonly duration_ms: number;
  /** Id of the API key or the member. */
  readonly caller_id: string;
  readonly code?: string;
  readonly record_id?: string;
};

/** Returns true for a failed request, with status 0, 4xx or 5xx. */
export function hasFailed({ status }: Pick<RequestEntry, "status">): boolean {
  return status === 0 || status >= 400;
}

/** Maximum time between the first and the last request in a document. */
export const spanMaxMs = 10_000;

/** Sorts requests by time and splits them into groups. Each group spans at most `spanMaxMs`. */
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

/**
 * Splits a route such as `GET /api/v1/…/:payoutId` into its method and its path. The path has the
 * form that the OpenAPI document uses.
 */
export function routeParts(route: string): { readonly method: string; readonly route: string } {
  const [method = "", template = ""] = route.split(" ");
  return { method, route: template.replaceAll(/:(\w+)/g, "{$1}") };
}
