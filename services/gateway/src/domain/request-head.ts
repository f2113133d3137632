import { type Refused, refused } from "@disburse/kernel/refusal.ts";
import { targetProblem } from "./request-target.ts";

/** Clients send 10 to 30 headers, proxies add as many again; more is an attack on whoever reads them. */
export const headersMax = 100;

/** The head of a request as it came over the wire; `rawHeaders` alternates names and values. */
export type RequestHead = {
  readonly target: string;
  readonly httpVersion: string;
  readonly rawHeaders: readonly string[];
};

/** Every value of a header, one for each line that it was sent on; Node's own map drops repetitions. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_value, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name,
  );
}

/**
 * What the HTTP parser lets through and we do not: too many headers, no host or several (RFC 9112 §3.2),
 * a transfer coding that we cannot decode (§6.1), a target that is no clean path.
 */
export function headProblem(
  head: RequestHead,
): Refused<"HEADERS_TOO_LARGE" | "INVALID_REQUEST" | "NOT_IMPLEMENTED"> | undefined {
  if (head.rawHeaders.length > 2 * headersMax) return refused("HEADERS_TOO_LARGE");
  const hosts = headerValues(head.rawHeaders, "host");
  if (hosts.length > 1 || (hosts.length === 0 && head.httpVersion === "1.1")) {
    return refused("INVALID_REQUEST", "Host: must be sent exactly once");
  }
  const codings = headerValues(head.rawHeaders, "transfer-encoding").join(",");
  if (codings !== "" && codings.trim().toLowerCase() !== "chunked") {
    return refused("NOT_IMPLEMENTED");
  }
  const problem = targetProblem(head.target);
  return problem === undefined ? undefined : refused("INVALID_REQUEST", problem);
}
