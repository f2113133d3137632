import type { IncomingHttpHeaders } from "node:http";
import { parseTimeout } from "@connectrpc/connect/protocol-grpc";
import { timerMsMax } from "../timer.ts";

const connectTimeout = "connect-timeout-ms";
const grpcTimeout = "grpc-timeout";

/** Lowers a request's deadline to the longest one that a timer can hold, in either protocol. */
export function capDeadline(headers: IncomingHttpHeaders): void {
  const connectMs = headers[connectTimeout];
  if (typeof connectMs === "string" && /^\d{10}$/.test(connectMs)) {
    headers[connectTimeout] = `${Math.min(Number(connectMs), timerMsMax)}`;
  }
  const grpc = headers[grpcTimeout];
  if (typeof grpc !== "string") return;
  const { timeoutMs = 0, error } = parseTimeout(grpc, Number.MAX_SAFE_INTEGER);
  if (error === undefined && timeoutMs > timerMsMax) {
    headers[grpcTimeout] = `${Math.floor(timerMsMax / 1_000)}S`;
  }
}
